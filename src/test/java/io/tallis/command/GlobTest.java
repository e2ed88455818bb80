package io.tallis.command;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class GlobTest {
    private static boolean matches(String pattern, String text) {
        return new Glob(pattern.getBytes(ISO_8859_1)).matches(text.getBytes(ISO_8859_1));
    }

    @Test
    void pattern_ofPlainLetters_matchesItselfOnly() {
        assertThat(matches("abc", "abc")).isTrue();
        assertThat(matches("abc", "ab")).isFalse();
        assertThat(matches("abc", "abcd")).isFalse();
        assertThat(matches("", "")).isTrue();
        assertThat(matches("", "a")).isFalse();
    }

    @Test
    void classes_haveRangesNegationAndEscapes() {
        assertThat(matches("[abc]", "b")).isTrue();
        assertThat(matches("[a-c]x", "bx")).isTrue();
        assertThat(matches("[c-a]", "b")).isTrue();
        assertThat(matches("[a-c]", "d")).isFalse();
        assertThat(matches("[^a]", "b")).isTrue();
        assertThat(matches("[^a]", "a")).isFalse();
        assertThat(matches("[\\]]", "]")).isTrue();
        assertThat(matches("[-]", "-")).isTrue();
        assertThat(matches("[a-", "-")).isTrue();
        assertThat(matches("[]a", "a")).isFalse();
        assertThat(matches("[abc", "b")).isTrue();
        assertThat(matches("[", "a")).isFalse();
        assertThat(matches("[\u00f0-\u00ff]", "\u00f5")).isTrue();
    }

    /// As in Redis: a range from `a` to `]`, in a class that extends to the end of the pattern.
    @Test
    void range_mayEndWithTheBracketThatSeemsToCloseTheClass() {
        assertThat(matches("[a-]", "]")).isTrue();
        assertThat(matches("[a-]", "^")).isTrue();
        assertThat(matches("[a-]", "-")).isFalse();
        assertThat(matches("[0-]]", "5")).isTrue();
        assertThat(matches("[0-]x", "x")).isTrue();
        assertThat(matches("[0-]x", "5x")).isFalse();
        assertThat(matches("[\\a-]", "-")).isTrue();
    }

    @Test
    void escapes_makeCharactersLiteral() {
        assertThat(matches("\\*", "*")).isTrue();
        assertThat(matches("\\*", "a")).isFalse();
        assertThat(matches("a\\", "a\\")).isTrue();
    }

    @Test
    void stars_agreeWithRegularExpressions() {
        Property.forAll(gen -> {
            String pattern = word(gen.between(0, 8), gen, "ab*?");
            String text = word(gen.between(0, 10), gen, "ab");
            String regex = pattern.replace("?", ".").replace("*", ".*");

            assertThat(matches(pattern, text)).as("%s on %s", pattern, text).isEqualTo(Pattern.matches(regex, text));
        });
    }

    private static String word(int length, Gen gen, String letters) {
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < length; i++) {
            word.append(letters.charAt(gen.between(0, letters.length() - 1)));
        }
        return word.toString();
    }

    @Test
    void anyPattern_onAnyBytes_terminates() {
        Property.forAll(gen -> {
            Glob glob = new Glob(gen.bytes(20));

            assertThat(glob.matches(gen.bytes(20))).isIn(true, false);
        });
    }

    @Test
    void manyStars_onALongTextWithoutMatch_takeBoundedTime() {
        String pattern = "*a".repeat(2_000) + "b";

        assertThat(matches(pattern, "a".repeat(20_000))).isFalse();
    }
}
