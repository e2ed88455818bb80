package io.tallis.acl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.command.Glob;
import io.tallis.testing.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class PatternTest {
    @Test
    void pattern_ofAnyForm_matchesWhatItsGlobMatches() {
        Property.forAll(gen -> {
            StringBuilder pattern = new StringBuilder();
            StringBuilder text = new StringBuilder();
            for (int i = gen.between(0, 6); i > 0; i--) {
                pattern.append(
                        gen.chance(60) ? gen.pick("a", "b") : gen.pick("*", "?", "[ab]", "[^a]", "\\*", "[", "\\"));
            }
            for (int i = gen.between(0, 6); i > 0; i--) {
                text.append(gen.pick("a", "b", "*", "["));
            }
            byte[] bytes = ("--" + text + "--").getBytes(ISO_8859_1);

            boolean matches = new Pattern(pattern.toString()).matches(bytes, 2, text.length());

            Glob glob = new Glob(pattern.toString().getBytes(ISO_8859_1));
            assertThat(matches).as(pattern + " on " + text).isEqualTo(glob.matches(bytes, 2, text.length()));
        });
    }

    @Test
    @Timeout(20)
    void hostilePattern_onALongKey_takesNoExponentialTime() {
        Pattern pattern = new Pattern("a*".repeat(500) + "b");
        byte[] key = "a".repeat(65_535).getBytes(ISO_8859_1);

        assertThat(pattern.matches(key, 0, key.length)).isFalse();
    }
}
