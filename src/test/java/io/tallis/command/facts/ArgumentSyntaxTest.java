package io.tallis.command.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ArgumentSyntaxTest {
    private static String usage(String syntax) {
        return new CommandSpec.Docs("", "", "", "", "", syntax).usage();
    }

    @Test
    void usage_ofWellFormedSyntax_isWhatPeopleType() {
        assertThat(usage("")).isEmpty();
        assertThat(usage("key amount")).isEqualTo("key amount");
        assertThat(usage("[MATCH pattern]")).isEqualTo("[MATCH pattern]");
        assertThat(usage("key...")).isEqualTo("key [key ...]");
        assertThat(usage("[key...]")).isEqualTo("[key [key ...]]");
        assertThat(usage("(key value)...")).isEqualTo("key value [key value ...]");
        assertThat(usage("key [NX | XX] [GET]")).isEqualTo("key [NX | XX] [GET]");
        assertThat(usage("<ON | OFF>")).isEqualTo("ON | OFF");
        assertThat(usage("[protover [AUTH username password] [SETNAME clientname]]"))
                .isEqualTo("[protover [AUTH username password] [SETNAME clientname]]");
    }

    @Test
    void token_beforeAValue_belongsToIt() {
        Argument argument = new ArgumentSyntax("[COUNT count]").parse().getFirst();

        assertThat(argument).isEqualTo(new Argument("count", Argument.Type.INTEGER, "COUNT", true, false, List.of()));
    }

    @Test
    void syntax_thatIsMalformed_isRefused() {
        for (String syntax : new String[] {"[key", "key]", "()", "(key", "<a |>", "key.", "...", "|", "[a | b"}) {
            assertThatThrownBy(() -> new ArgumentSyntax(syntax).parse())
                    .as(syntax)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(syntax);
        }
    }
}
