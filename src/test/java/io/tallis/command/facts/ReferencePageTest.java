package io.tallis.command.facts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// `-Dpage=write` writes the page anew.
final class ReferencePageTest {
    private static final Path PAGE = Path.of("src/site/markdown/commands.md");

    @Test
    void page_isWhatTheFactsSay() throws IOException {
        String generated = new ReferencePage(CommandFacts.load()).text();
        if ("write".equals(System.getProperty("page"))) {
            Files.writeString(PAGE, generated);
        }

        assertThat(Files.readString(PAGE)).isEqualTo(generated);
    }

    @Test
    void page_hasEveryCommand() {
        String generated = new ReferencePage(CommandFacts.load()).text();

        assertThat(CommandFacts.load().all())
                .allSatisfy(spec -> assertThat(generated).contains(spec.typedName()));
    }
}
