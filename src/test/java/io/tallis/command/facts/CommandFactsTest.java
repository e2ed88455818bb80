package io.tallis.command.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class CommandFactsTest {
    private static final String GOOD = """
            # a comment
            box
              summary    Commands about boxes.
              group      generic
              since      1.0.0
              complexity Depends.
              arity      -2

            box open
              summary    Opens a box.
              group      generic
              since      1.0.0
              complexity O(1)
              arity      -3
              flags      write fast
              keys       2 -1 2
              access     OW insert
              categories lids dangerous
              tips       nondeterministic_output
              deprecated 2.0.0 BOX LIFT
              touches    all
              secret     AUTH 2
              arguments  (key amount)...
            """;

    @Test
    void facts_areRead() {
        CommandFacts facts = CommandFacts.parse(GOOD);

        CommandSpec open = facts.find("BOX|Open");
        assertThat(open).isNotNull();
        assertThat(open.arity()).isEqualTo(-3);
        assertThat(open.flags()).isEqualTo(Set.of(CommandFlag.WRITE, CommandFlag.FAST));
        assertThat(open.keys()).isEqualTo(new CommandSpec.Keys(2, -1, 2));
        assertThat(open.labels())
                .isEqualTo(new CommandSpec.Labels(
                        List.of(List.of("OW", "insert")),
                        List.of("lids", "dangerous"),
                        List.of("nondeterministic_output")));
        assertThat(open.docs().deprecated()).isEqualTo("2.0.0 BOX LIFT");
        assertThat(open.wholeKeyspace()).isTrue();
        assertThat(open.secret()).isEqualTo(new CommandSpec.Secret("AUTH", 2));
        assertThat(open.docs().usage()).isEqualTo("key amount [key amount ...]");
        assertThat(open.typedName()).isEqualTo("BOX OPEN");
        assertThat(facts.commands()).extracting(CommandSpec::fullName).containsExactly("box");
        assertThat(facts.commands().getFirst().subcommands()).isEqualTo(List.of(open));
    }

    @Test
    void invalidFacts_areRefusedWithTheirLine() {
        refused(GOOD + "  colour     red\n", "line 24", "colour");
        refused(GOOD + "  arity      -3\n", "second field");
        refused(GOOD.replace("write fast", "write quick"), "quick");
        refused(GOOD.replace("write fast", "write write"), "twice");
        refused(GOOD.replace("2 -1 2", "2 -1"), "first last step");
        refused(GOOD.replace("2 -1 2", "2 -1 x"), "'x' is not a number");
        refused(GOOD.replace("touches    all", "touches    some"), "some");
        refused(GOOD.replace("  since      1.0.0\n", ""), "SINCE");
        refused(GOOD + "box\n", "described twice");
        refused(GOOD + "chest open\n" + fields(), "comes before its command");
        refused("  arity 1\n", "not a field");
        refused(GOOD + "  secret\n", "not a field");
        refused(GOOD.replace("AUTH 2", "AUTH"), "'MARK count'");
    }

    private static String fields() {
        return GOOD.substring(GOOD.indexOf("  summary    Opens"));
    }

    private static void refused(String text, String... parts) {
        assertThatThrownBy(() -> CommandFacts.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .contains(parts);
    }

    @Test
    void facts_ofTheProduct_areConsistent() {
        CommandFacts facts = CommandFacts.load();

        assertThat(facts.all()).allSatisfy(spec -> {
            assertThat(spec.docs().summary()).endsWith(".").doesNotContain("\n");
            assertThat(spec.docs().arguments()).isNotNull();
            assertThat(spec.arity()).isNotZero();
            assertThat(spec.is(CommandFlag.DENYOOM)).isIn(false, spec.is(CommandFlag.WRITE));
            assertThat(spec.is(CommandFlag.WRITE) && spec.is(CommandFlag.READONLY))
                    .isFalse();
        });
        assertThat(facts.all()).extracting(CommandSpec::id).doesNotHaveDuplicates();
    }

    @Test
    void facts_ofDataCommands_sayWhatTheyTouch() {
        assertThat(CommandFacts.load().all())
                .filteredOn(spec -> spec.is(CommandFlag.WRITE) || spec.is(CommandFlag.READONLY))
                .allSatisfy(spec -> assertThat(spec.keys().first() > 0
                                || spec.wholeKeyspace()
                                || spec.docs().syntax().contains("numkeys"))
                        .as(spec.fullName())
                        .isTrue());
    }

    @Test
    void facts_thatNeedKeys_askForEnoughWords() {
        assertThat(CommandFacts.load().all())
                .filteredOn(
                        spec -> spec.keys().first() > 0 && spec.subcommands().isEmpty())
                .allSatisfy(spec -> assertThat(Math.abs(spec.arity()))
                        .as(spec.fullName())
                        .isGreaterThan(spec.keys().first()));
    }
}
