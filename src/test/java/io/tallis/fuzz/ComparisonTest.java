package io.tallis.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ComparisonTest {
    private static final RespReply OK = new RespReply('+', "OK", List.of());
    private static final RespReply QUEUED = new RespReply('+', "QUEUED", List.of());

    private final Map<Difference, Integer> allowed = new EnumMap<>(Difference.class);
    private final Comparison comparison = new Comparison(allowed);

    private static RespReply integer(long value) {
        return new RespReply(':', Long.toString(value), List.of());
    }

    private static RespReply bulk(String text) {
        return new RespReply('$', text, List.of());
    }

    private static RespReply error(String text) {
        return new RespReply('-', text, List.of());
    }

    private static RespReply array(RespReply... items) {
        return new RespReply('*', "", List.of(items));
    }

    @Test
    void replies_ofAnotherTypeOrText_differ() {
        assertThat(comparison.difference(Request.of("GET", "a"), bulk("1"), integer(1)))
                .isEqualTo("GET a\n  Tallis 1\n  Redis  (integer) 1");
        assertThat(comparison.difference(Request.of("GET", "a"), error("ERR a"), error("ERR b")))
                .isNotNull();
        assertThat(comparison.difference(Request.of("GET", "a"), bulk("1"), bulk("1")))
                .isNull();
    }

    @Test
    void fields_inAnotherOrder_areEqual_unlessValuesAreExchanged() {
        Request request = Request.of("HGETALL", "h");
        RespReply one = array(bulk("a"), bulk("1"), bulk("b"), bulk("2"));

        assertThat(comparison.difference(request, one, array(bulk("b"), bulk("2"), bulk("a"), bulk("1"))))
                .isNull();
        assertThat(comparison.difference(request, one, array(bulk("a"), bulk("2"), bulk("b"), bulk("1"))))
                .isNotNull();
    }

    @Test
    void times_mayDifferALittle_butNotWhetherThereIsOne() {
        Request request = Request.of("PTTL", "a");

        assertThat(comparison.difference(request, integer(10_000), integer(9_990)))
                .isNull();
        assertThat(comparison.difference(request, integer(30_000), integer(20_000)))
                .isNotNull();
        assertThat(comparison.difference(request, integer(5), integer(-1))).isNotNull();
    }

    @Test
    void repliesOfATransaction_areComparedOneByOne() {
        comparison.difference(Request.of("MULTI"), OK, OK);
        comparison.difference(Request.of("TTL", "a"), QUEUED, QUEUED);
        comparison.difference(Request.of("GET", "a"), QUEUED, QUEUED);

        String difference = comparison.difference(
                Request.of("EXEC"), array(integer(100), bulk("x")), array(integer(101), bulk("y")));

        assertThat(difference).isEqualTo("GET a\n  Tallis x\n  Redis  y");
    }

    @Test
    void randomFields_areOnesOfTheHash() {
        RespReply hash = array(bulk("a"), bulk("1"), bulk("b"), bulk("2"));
        comparison.difference(Request.of("HGETALL", "h"), hash, hash);

        assertThat(comparison.difference(Request.of("HRANDFIELD", "h"), bulk("a"), bulk("b")))
                .isNull();
        assertThat(comparison.difference(Request.of("HRANDFIELD", "h"), bulk("c"), bulk("b")))
                .isNotNull();
    }

    @Test
    void differenceOnPurpose_isCounted() {
        RespReply refusal = error("ERR fractions are not supported: Tallis counts whole numbers, such as 5 or 5.0");

        assertThat(comparison.difference(Request.of("INCRBYFLOAT", "a", "0.5"), refusal, bulk("0.5")))
                .isNull();

        assertThat(allowed).containsExactly(Map.entry(Difference.WHOLE_AMOUNTS, 1));
    }
}
