package io.tallis.keyspace;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ScoreTest {
    @Test
    void anyNumber_isReadBackFromItsText() {
        Property.forAll(gen -> {
            BigDecimal number = number(gen);
            Score score = Score.of(number);

            assertThat(read(score.toString())).isEqualTo(score);
            assertThat(new BigDecimal(score.toString()).doubleValue()).isEqualTo(number.doubleValue());
        });
    }

    @Test
    void twoNumbers_haveTheOrderOfTheirScores() {
        Property.forAll(gen -> {
            BigDecimal one = number(gen);
            BigDecimal two = number(gen);

            assertThat(Integer.signum(Score.of(one).compareTo(Score.of(two))))
                    .isEqualTo(Double.compare(one.doubleValue(), two.doubleValue()));
        });
    }

    @Test
    void text_hasTheFewestDigits() {
        assertThat(List.of("0.1", "-0.5", "1e-7", "1.25e-300", "1732872000.123456", "0.000001", "12.50"))
                .map(text -> Score.of(new BigDecimal(text)).toString())
                .containsExactly("0.1", "-0.5", "1e-7", "1.25e-300", "1732872000.123456", "0.000001", "12.5");
    }

    /// There are no floats between these.
    @Test
    void numberWithAFraction_whereFloatsHaveNone_isWhole() {
        assertThat(Score.of(new BigDecimal("9007199254740993.5"))).isEqualTo(Score.of(9_007_199_254_740_994L));
        assertThat(Score.of(new BigDecimal("9007199254740991.9"))).isEqualTo(Score.of(9_007_199_254_740_992L));
        assertThat(Score.of(new BigDecimal("9223372036854775806.5"))).isEqualTo(Score.of(Long.MAX_VALUE));
        assertThat(Score.of(new BigDecimal("9007199254740993.0"))).isEqualTo(Score.of(9_007_199_254_740_993L));
    }

    @Test
    void bound_betweenTwoWholeScores_isExact() {
        Score bound = Score.bound(new BigDecimal("9007199254740993.5"));

        assertThat(bound).isGreaterThan(Score.of(9_007_199_254_740_993L));
        assertThat(bound.next()).isLessThan(Score.of(9_007_199_254_740_994L));
    }

    @Test
    void textThatIsNoNumber_hasNoScore() {
        assertThat(List.of("", "x", "1e", ".", "--1", "1d", "0x1p3", "NaN", "Infinity", " 1", "1e400", "9e18x", "1e19"))
                .allSatisfy(text -> assertThat(read(text)).isNull());
    }

    private static Score read(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return Score.ofText(bytes, 0, bytes.length);
    }

    /// Of any size below 2^53.
    private static BigDecimal number(Gen gen) {
        double number = Double.longBitsToDouble(gen.between(Long.MIN_VALUE, Long.MAX_VALUE));
        return Math.abs(number) < 0x1p53
                ? new BigDecimal(number)
                : BigDecimal.valueOf(gen.between(-(1L << 53), 1L << 53) * Math.pow(10, -gen.between(1, 30)));
    }
}
