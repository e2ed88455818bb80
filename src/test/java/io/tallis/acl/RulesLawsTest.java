package io.tallis.acl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.command.facts.CommandFacts;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What holds for any rules, also hostile ones.
final class RulesLawsTest {
    private static final CommandFacts FACTS = CommandFacts.load();

    private static final List<String> COMMANDS = List.of(
            "get",
            "SET",
            "incrby",
            "client",
            "client|id",
            "client|kill",
            "config",
            "config|get",
            "select",
            "select|0",
            "select|1",
            "debug|object",
            "pncount",
            "pncount|inc",
            "nosuch",
            "config|nosuch",
            "config|get|x",
            "",
            "|",
            "@",
            "@all",
            "@read",
            "@WRITE",
            "@admin",
            "@hash",
            "@nosuch",
            "acl|setuser");

    private static final List<String> PATTERNS =
            List.of("*", "a*", "a?c", "[a-z]x", "\\*", "", "a b", "a\u0000", "\u00ff\u00fe*", "**", "[", "\\", "x");

    private static final List<String> WORDS = List.of(
            "on",
            "OFF",
            "nopass",
            "resetpass",
            "reset",
            "allkeys",
            "resetkeys",
            "allchannels",
            "resetchannels",
            "allcommands",
            "nocommands",
            "clearselectors",
            "sanitize-payload",
            "skip-sanitize-payload",
            "nosuch",
            "");

    private static String rule(Gen gen) {
        return switch (gen.between(0, 9)) {
            case 0, 1 -> "+" + gen.pick(COMMANDS);
            case 2, 3 -> "-" + gen.pick(COMMANDS);
            case 4 -> gen.pick("~", "%R~", "%W~", "%rw~", "%", "%~", "%RR~", "%R") + gen.pick(PATTERNS);
            case 5 -> "&" + gen.pick(PATTERNS);
            case 6 -> gen.pick(WORDS);
            case 7 -> gen.pick(">", "<", "#", "!") + gen.pick("a", "b", "", "0".repeat(64), "G".repeat(64));
            case 8 -> "(" + String.join(" ", gen.listOf(4, () -> rule(gen))) + gen.pick(")", ")", ")", "");
            default -> new String(gen.bytes(12), ISO_8859_1);
        };
    }

    private static Rules applied(Rules rules, List<String> more) {
        try {
            return rules.with(Words.rules(more), FACTS);
        } catch (RuleException | UnmatchedParenthesisException _) {
            return rules;
        }
    }

    /// No other exception than those caught above, whatever the rules; else this test fails.
    @Test
    void rules_asText_makeTheSameRulesAgain() {
        Property.forAll(gen -> {
            Rules rules = Rules.none(FACTS);
            for (int i = gen.between(0, 12); i > 0; i--) {
                rules = applied(rules, gen.listOf(4, () -> rule(gen)));
            }

            Rules again = Rules.none(FACTS).with(Words.rules(Words.split(rules.toString())), FACTS);

            assertThat(again).hasToString(rules.toString());
            for (int i = 0; i < rules.selectors().size(); i++) {
                assertThat(again.selectors().get(i).commands().bits())
                        .isEqualTo(rules.selectors().get(i).commands().bits());
            }
            assertThat(again.passwords()).isEqualTo(rules.passwords());
            assertThat(again.allowAll()).isEqualTo(rules.allowAll());
        });
    }

    @Test
    void user_afterAWrongRule_isAsBefore() {
        Property.forAll(gen -> {
            Users users = new Users(FACTS);
            users.set("u", List.of("on", ">p", "~a*", "+get", "(~b +set)"));
            String before = users.find("u").line();
            List<String> rules = new ArrayList<>(List.of("+mget", "off", "~x", "resetpass", "clearselectors"));
            rules.add(gen.between(0, rules.size()), gen.pick("+nosuch", "foo", "%x", "#1", "(", "(+nosuch)", "~a b"));

            assertThatThrownBy(() -> users.set("u", rules)).isInstanceOf(RuleException.class);
            assertThatThrownBy(() -> users.set("other", rules)).isInstanceOf(RuleException.class);

            assertThat(users.find("u").line()).isEqualTo(before);
            assertThat(users.find("other")).isNull();
        });
    }

    @Test
    void rulesAboutTheSameCommand_areKeptOnce() {
        Rules rules = Rules.none(FACTS);
        for (int i = 0; i < 1000; i++) {
            rules = rules.with(List.of("+get", "-@read", "+config|get", "-config", "+select|0", "-select"), FACTS);
        }

        assertThat(rules.selectors().getFirst().commands().text()).isEqualTo("-@all +get -@read -config -select");
    }

    @Test
    void bounds_areKept() {
        Rules none = Rules.none(FACTS);
        List<String> patterns = new ArrayList<>();
        List<String> passwords = new ArrayList<>();
        List<String> selectors = new ArrayList<>();
        List<String> arguments = new ArrayList<>();
        for (int i = 0; i < 1024; i++) {
            patterns.add("~" + i);
            passwords.add(">" + i);
            selectors.add("()");
            arguments.add("+select|" + i);
        }

        Rules full = none.with(patterns, FACTS);

        for (List<String> rules : List.of(passwords, selectors, arguments, List.of("~" + "x".repeat(1025)))) {
            assertThatThrownBy(() -> none.with(rules, FACTS))
                    .isInstanceOf(RuleException.class)
                    .hasMessageContaining("at most");
        }
        for (String more : List.of("~more", "&more", "(~more)", "(&more)")) {
            assertThatThrownBy(() -> full.with(List.of(more), FACTS)).hasMessageContaining("at most 1024 patterns");
        }
        assertThat(full.with(List.of("resetkeys", "~more"), FACTS).allowAll()).isFalse();
    }

    @Test
    void users_areBounded() {
        Users users = new Users(FACTS);
        for (int i = 1; i < Bounds.MOST_USERS; i++) {
            users.set("user" + i, List.of());
        }

        assertThatThrownBy(() -> users.set("more", List.of())).hasMessageContaining("at most 10000 users");
        assertThatThrownBy(() -> users.set("x".repeat(1025), List.of())).isInstanceOf(RuleException.class);
    }
}
