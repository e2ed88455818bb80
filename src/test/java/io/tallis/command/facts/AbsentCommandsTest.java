package io.tallis.command.facts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AbsentCommandsTest {
    /// What `COMMAND LIST` of Redis 7.0.15 replies.
    private static final Path COMMANDS_OF_REDIS =
            Path.of("src/test/resources/io/tallis/command/facts/redis-7.0.15-commands.txt");

    private final CommandFacts facts = CommandFacts.load();
    private final AbsentCommands absent = AbsentCommands.load();

    @Test
    void commandsOfRedis_areThereOrRefusedByATextOfTheirOwn() throws IOException {
        List<String> names = Files.readAllLines(COMMANDS_OF_REDIS);

        assertThat(names).hasSize(366).allSatisfy(name -> {
            boolean isThere = facts.find(name) != null;
            String container = name.split("\\|", -1)[0];
            boolean isRefused = absent.refusal(name) != null || absent.refusal(container) != null;
            assertThat(isThere || isRefused).as(name).isTrue();
        });
    }

    @Test
    void commandsThatAreThere_areNotRefused() {
        assertThat(absent.names()).noneMatch(name -> facts.find(name) != null);
    }

    @Test
    void texts_areErrorsOfOneLine_thatNoClientTakesForUnknownCommands() {
        assertThat(absent.names())
                .allSatisfy(name -> assertThat(absent.refusal(name))
                        .startsWith("ERR ")
                        .hasSizeLessThan(140)
                        .doesNotContain("unknown", "{}", "\n"));
    }

    @Test
    void refusal_namesTheCommand() {
        assertThat(absent.refusal("cluster|meet")).startsWith("ERR CLUSTER MEET is not supported: ");
        assertThat(absent.refusal("nosuch")).isNull();
    }
}
