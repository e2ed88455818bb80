package io.tallis.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.testing.Property;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class NumbersTest {
    private static Arguments word(String text) {
        byte[] bytes = ("xx" + text + "9").getBytes(StandardCharsets.UTF_8);
        Arguments arguments = new Arguments();
        arguments.begin(bytes);
        arguments.add(2, bytes.length - 3);
        return arguments;
    }

    @Test
    void signedNumbers_readBackAsWritten() {
        Property.forAll(gen -> {
            long number = gen.anyLong();

            assertThat(Numbers.signed(word(Long.toString(number)), 0)).isEqualTo(number);
        });
    }

    @Test
    void unsignedNumbers_readBackAsWritten() {
        Property.forAll(gen -> {
            long number = gen.anyLong();

            assertThat(Numbers.unsigned(word(Long.toUnsignedString(number)), 0, "E"))
                    .isEqualTo(number);
        });
    }

    @Test
    void numbersJustBeyondTheRange_areRefused() {
        BigInteger two63 = BigInteger.ONE.shiftLeft(63);
        Property.forAll(gen -> {
            BigInteger beyond = two63.add(BigInteger.valueOf(gen.anyCount()));

            assertThatThrownBy(() -> Numbers.signed(word(beyond.toString()), 0)).isInstanceOf(CommandError.class);
            assertThatThrownBy(() -> Numbers.signed(
                            word(beyond.add(BigInteger.ONE).negate().toString()), 0))
                    .isInstanceOf(CommandError.class);
            assertThatThrownBy(() -> Numbers.unsigned(word(beyond.add(two63).toString()), 0, "E"))
                    .isInstanceOf(CommandError.class);
        });
    }

    @Test
    void wordsThatAreNotCanonical_areRefused() {
        for (String text : new String[] {"", "-", "+1", " 1", "1 ", "01", "-01", "-0", "0x1", "1.0", "1e3", "\u0661"}) {
            assertThatThrownBy(() -> Numbers.signed(word(text), 0)).as(text).isInstanceOf(CommandError.class);
            assertThatThrownBy(() -> Numbers.unsigned(word(text), 0, "E"))
                    .as(text)
                    .isInstanceOf(CommandError.class);
        }
    }

    @Test
    void wholeNumbers_inTheNotationOfFloats_areTheNumbersThatTheyAre() {
        Property.forAll(gen -> {
            BigDecimal number = BigDecimal.valueOf(gen.anyLong(), gen.between(0, 3));
            boolean isWhole = number.stripTrailingZeros().scale() <= 0;
            String text = gen.between(0, 1) == 0 ? number.toPlainString() : number.toString();

            if (isWhole) {
                assertThat(whole(text)).as(text).isEqualTo(number.longValueExact());
                assertThat(whole(text + (text.contains(".") ? "0" : ".0"))).isEqualTo(number.longValueExact());
            } else {
                assertThatThrownBy(() -> whole(text)).as(text).hasMessageContaining("fractions are not supported");
            }
        });
    }

    @Test
    void floatsOfAnySize_takeLittleTime() {
        assertThat(whole("0e9999")).isZero();
        assertThat(whole("-0.000")).isZero();
        assertThatThrownBy(() -> whole("1e9999")).hasMessageContaining("overflow");
        assertThatThrownBy(() -> whole("-9223372036854775809")).hasMessageContaining("overflow");
        assertThatThrownBy(() -> whole("1e99999")).hasMessageContaining("not a valid float");
        assertThatThrownBy(() -> whole("1" + "0".repeat(300))).hasMessageContaining("not a valid float");
    }

    private static long whole(String text) {
        byte[] bytes = ("1" + text + "9").getBytes(StandardCharsets.UTF_8);
        return Numbers.whole(bytes, 1, bytes.length - 2, "ERR infinite");
    }
}
