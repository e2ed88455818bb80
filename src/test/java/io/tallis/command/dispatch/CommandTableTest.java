package io.tallis.command.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.command.Arguments;
import io.tallis.command.Command;
import io.tallis.command.CommandEntry;
import io.tallis.command.CommandFamily;
import io.tallis.command.facts.CommandFacts;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CommandTableTest {
    private static final Command ANY = (_, _, reply) -> reply.ok();

    private static final CommandFacts FACTS =
            CommandFacts.parse(fact("box") + fact("box open") + fact("box help") + fact("lid"));

    private static String fact(String name) {
        return name + "\n  summary S.\n  group generic\n  since 1\n  complexity O(1)\n  arity -1\n";
    }

    private static CommandTable tableOf(CommandFamily... families) {
        return CommandTable.of(FACTS, List.of(families));
    }

    @Test
    void lookup_ignoresCase() {
        CommandTable table = tableOf(set -> set.add("box|open", ANY).add("lid", ANY));

        assertThat(nameOf(table, "lid")).isEqualTo("lid");
        assertThat(nameOf(table, "LiD")).isEqualTo("lid");
        assertThat(nameOf(table, "BOX", "open")).isEqualTo("box|open");
        assertThat(nameOf(table, "box", "HELP")).isEqualTo("box|help");
        assertThat(nameOf(table, "box")).isEqualTo("box");
        assertThat(nameOf(table, "lid", "anything")).isEqualTo("lid");
        assertThat(nameOf(table, "box", "shut")).isNull();
        assertThat(nameOf(table, "li")).isNull();
        assertThat(nameOf(table, "lids")).isNull();
        assertThat(nameOf(table, "")).isNull();
        assertThat(nameOf(table, "l\tD")).isNull();
    }

    private static String nameOf(CommandTable table, String... words) {
        CommandEntry entry = table.find(argumentsOf(words));
        return entry == null ? null : entry.spec().fullName();
    }

    private static Arguments argumentsOf(String... words) {
        Arguments arguments = new Arguments();
        arguments.begin(String.join("", words).getBytes(StandardCharsets.UTF_8));
        int at = 0;
        for (String word : words) {
            arguments.add(at, word.length());
            at += word.length();
        }
        return arguments;
    }

    @Test
    void lookup_findsEveryCommandOfTheProduct() {
        CommandFacts facts = CommandFacts.load();
        CommandTable table = CommandTable.of(
                facts,
                List.of(set -> facts.all().stream()
                        .filter(spec -> spec.subcommands().isEmpty())
                        .forEach(spec -> set.add(spec.fullName(), ANY))));

        assertThat(facts.all())
                .allSatisfy(spec -> assertThat(nameOf(table, spec.typedName().split(" ", -1)))
                        .isEqualTo(spec.fullName()));
    }

    @Test
    void factsWithoutACommand_areRefused() {
        assertThatThrownBy(() -> tableOf(set -> set.add("lid", ANY)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("box|open");
    }

    @Test
    void commandWithoutFacts_isRefused() {
        assertThatThrownBy(() ->
                        tableOf(set -> set.add("box|open", ANY).add("lid", ANY).add("hinge", ANY)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("hinge");
    }

    @Test
    void twoCommandsOfOneName_areRefused() {
        assertThatThrownBy(() -> tableOf(set -> set.add("lid", ANY), set -> set.add("lid", ANY)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("twice");
    }
}
