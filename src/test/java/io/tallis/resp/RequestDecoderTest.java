package io.tallis.resp;

import static io.tallis.resp.Decoding.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.tallis.resp.Decoding.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class RequestDecoderTest {
    private static final String LINE_64K = "x".repeat(RequestDecoder.MAX_LINE);

    /// What a client sends, and the expected result.
    record Shape(String sent, Result expected) {
        static Shape of(String sent) {
            return new Shape(sent, new Result(List.of(), ""));
        }

        Shape finds(String... words) {
            List<List<String>> requests = new ArrayList<>(expected.requests());
            requests.add(List.of(words));
            return new Shape(sent, new Result(requests, ""));
        }

        Shape refusedFor(String reason) {
            return new Shape(sent, new Result(expected.requests(), "ERR Protocol error: " + reason));
        }

        @Override
        public String toString() {
            return sent.replace("\r", "\\r").replace("\n", "\\n");
        }
    }

    static List<Shape> arrays() {
        return List.of(
                Shape.of("*2\r\n$3\r\nGET\r\n$6\r\nvisits\r\n").finds("GET", "visits"),
                Shape.of("*1\r\n$4\r\nPING\r\n*2\r\n$3\r\nGET\r\n$6\r\nvisits\r\n")
                        .finds("PING")
                        .finds("GET", "visits"),
                Shape.of("*2\r\n$0\r\n\r\n$0\r\n\r\n").finds("", ""),
                Shape.of("*1\r\n$12\r\n\r\n*1\r\n$4\0\u00ff\r\n\r\n").finds("\r\n*1\r\n$4\0\u00ff\r\n"),
                Shape.of("*1\r\n$10\r\n0123456789\r\n").finds("0123456789"),
                Shape.of("*0\r\n*-1\r\n*-10\r\n*-9223372036854775808\r\n*1\r\n$1\r\na\r\n")
                        .finds("a"),
                Shape.of("*2\r\n$1\r\naXY$1\r\nbZZ").finds("a", "b"),
                Shape.of("*1\rX$1\rXa\r\n").finds("a"),
                Shape.of("*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$"),
                Shape.of("*1\r\n$5\r\nabcde"),
                Shape.of("*1"),
                Shape.of("*1\r\nfooz"));
    }

    static List<Shape> lines() {
        return List.of(
                Shape.of("PING\r\n").finds("PING"),
                Shape.of("PING\n").finds("PING"),
                Shape.of("\r\n\n  \r\nPING\n").finds("PING"),
                Shape.of("  GET \t visits  \r\n").finds("GET", "visits"),
                Shape.of("SET foo \"b a r\"\n").finds("SET", "foo", "b a r"),
                Shape.of("ECHO \"\\n\\r\\t\\b\\a\\\\\\\"\\q\\x41\\xfF\\xg1\"\n")
                        .finds("ECHO", "\n\r\t\b\u0007\\\"qA\u00ffxg1"),
                Shape.of("ECHO 'it\\'s \\n' \"\" ''\n").finds("ECHO", "it's \\n", "", ""),
                Shape.of("ECHO a\"b c\"\n").finds("ECHO", "ab c"),
                Shape.of("ECHO a\u000bb\n").finds("ECHO", "a\u000bb"),
                Shape.of("ECHO a\0b\nPING\n").finds("ECHO", "a").finds("PING"),
                Shape.of("GET x\n*1\r\n$4\r\nPING\r\nGET y\r\n")
                        .finds("GET", "x")
                        .finds("PING")
                        .finds("GET", "y"),
                Shape.of("PING\r"),
                Shape.of("PIN"));
    }

    static List<Shape> refusals() {
        return List.of(
                Shape.of("*1048577\r\n").refusedFor("invalid multibulk length"),
                Shape.of("*2147483648\r\n").refusedFor("invalid multibulk length"),
                Shape.of("*99999999999999999999999\r\n").refusedFor("invalid multibulk length"),
                Shape.of("*9223372036854775808\r\n").refusedFor("invalid multibulk length"),
                Shape.of("*-9223372036854775809\r\n").refusedFor("invalid multibulk length"),
                Shape.of("*\r\n").refusedFor("invalid multibulk length"),
                Shape.of("*-\r\n").refusedFor("invalid multibulk length"),
                Shape.of("*-0\r\n").refusedFor("invalid multibulk length"),
                Shape.of("*01\r\n").refusedFor("invalid multibulk length"),
                Shape.of("*+1\r\n").refusedFor("invalid multibulk length"),
                Shape.of("* 1\r\n").refusedFor("invalid multibulk length"),
                Shape.of("*1x\r\n").refusedFor("invalid multibulk length"),
                Shape.of("*1\n\r\n").refusedFor("invalid multibulk length"),
                Shape.of("*1\r\n$-1\r\n").refusedFor("invalid bulk length"),
                Shape.of("*1\r\n$\r\n").refusedFor("invalid bulk length"),
                Shape.of("*1\r\n$04\r\nPING\r\n").refusedFor("invalid bulk length"),
                Shape.of("*1\r\n$2000000000\r\n").refusedFor("invalid bulk length"),
                Shape.of("*1\r\n$1048577\r\n").refusedFor("invalid bulk length"),
                Shape.of("*3\r\n$3\r\nSET\r\n$1\r\nx\r\nfooz\r\n").refusedFor("expected '$', got 'f'"),
                Shape.of("*1\r\n:5\r\n").refusedFor("expected '$', got ':'"),
                Shape.of("*1\r\n*1\r\n$4\r\nPING\r\n").refusedFor("expected '$', got '*'"),
                Shape.of("*1\r\n+a\r\n").refusedFor("expected '$', got '+'"),
                Shape.of("*1\r\n\r\n").refusedFor("expected '$', got '\r'"),
                Shape.of("PING\n*x\r\nPING\n").finds("PING").refusedFor("invalid multibulk length"),
                Shape.of("ECHO \"a\n").refusedFor("unbalanced quotes in request"),
                Shape.of("ECHO 'a\n").refusedFor("unbalanced quotes in request"),
                Shape.of("ECHO \"a\"b\n").refusedFor("unbalanced quotes in request"),
                Shape.of("ECHO 'a'b\n").refusedFor("unbalanced quotes in request"),
                Shape.of("ECHO \"a\0\"\n").refusedFor("unbalanced quotes in request"),
                Shape.of("ECHO \"a\\\n").refusedFor("unbalanced quotes in request"));
    }

    static List<Shape> longLines() {
        return List.of(
                Shape.of(LINE_64K + "\n").finds(LINE_64K),
                Shape.of(LINE_64K + "x").refusedFor("too big inline request"),
                Shape.of(LINE_64K + "x\nPING\n").refusedFor("too big inline request"),
                Shape.of("PING\n" + LINE_64K + "x").finds("PING").refusedFor("too big inline request"),
                Shape.of("*" + LINE_64K).refusedFor("too big mbulk count string"),
                Shape.of("*1\r\n$" + LINE_64K).refusedFor("too big bulk count string"),
                Shape.of("*1\r\n" + LINE_64K + "x").refusedFor("too big bulk count string"));
    }

    @ParameterizedTest
    @MethodSource({"arrays", "lines", "refusals", "longLines"})
    void decode_ofWhole_findsRequestsOrRefuses(Shape shape) {
        assertThat(Decoding.ofWhole(shape.sent())).isEqualTo(shape.expected());
    }

    @ParameterizedTest
    @MethodSource({"arrays", "lines", "refusals", "longLines"})
    void decode_ofSingleBytes_findsTheSame(Shape shape) {
        Result result = new Decoding().feedByteByByte(bytes(shape.sent())).result();

        assertThat(result).isEqualTo(shape.expected());
    }

    @ParameterizedTest
    @MethodSource({"arrays", "lines", "refusals"})
    void decode_cutAtEveryPlace_findsTheSame(Shape shape) {
        byte[] sent = bytes(shape.sent());

        for (int at = 0; at <= sent.length; at++) {
            assertThat(new Decoding().feedCut(sent, at).result())
                    .as("cut at %d", at)
                    .isEqualTo(shape.expected());
        }
    }

    @Test
    void decode_ofTenWordsBeforeAuthentication_isAllowed() {
        String sent = "*10\r\n" + "$1\r\na\r\n".repeat(10);

        Result result = new Decoding(false, 1 << 20).feed(bytes(sent)).result();

        assertThat(result.requests()).hasSize(1);
    }

    @Test
    void decode_ofElevenWordsBeforeAuthentication_isRefused() {
        Result result = new Decoding(false, 1 << 20).feed(bytes("*11\r\n")).result();

        assertThat(result.refusal()).isEqualTo("ERR Protocol error: unauthenticated multibulk length");
    }

    @Test
    void decode_ofLongWordBeforeAuthentication_isRefused() {
        Result longest =
                new Decoding(false, 1 << 20).feed(bytes("*1\r\n$16384\r\n")).result();
        Result longer =
                new Decoding(false, 1 << 20).feed(bytes("*1\r\n$16385\r\n")).result();

        assertThat(longest.refusal()).isEmpty();
        assertThat(longer.refusal()).isEqualTo("ERR Protocol error: unauthenticated bulk length");
    }

    @Test
    void decode_ofMostWords_findsThemAll() {
        String sent = "*1048576\r\n" + "$0\r\n\r\n".repeat(1048576);

        Result result = Decoding.ofWhole(sent);

        assertThat(result.requests().getFirst()).hasSize(1048576);
    }

    @Test
    void decode_ofLongWordInSingleBytes_takesTimeInProportion() {
        String word = "x".repeat(1 << 20);
        byte[] sent = bytes("*2\r\n$1\r\na\r\n$" + word.length() + "\r\n" + word + "\r\n");

        Result result = assertTimeout(
                Duration.ofSeconds(20),
                () -> new Decoding().feedByteByByte(sent).result());

        assertThat(result.requests()).containsExactly(List.of("a", word));
    }

    @Test
    void decode_ofAnnouncedLength_takesNoMemoryForIt() {
        Decoding decoding = new Decoding(true, 512 << 20);

        decoding.feed(bytes("*1048576\r\n$" + (512 << 20) + "\r\nabc"));

        assertThat(decoding.input().capacity()).isLessThan(1024);
    }

    @Test
    void decode_afterLongRequest_givesItsMemoryBack() {
        Decoding decoding = new Decoding();
        String word = "x".repeat(1 << 20);

        decoding.feed(bytes("*1\r\n$" + word.length() + "\r\n" + word + "\r\n*1\r\n$4\r\nPI"));

        assertThat(decoding.result().requests()).containsExactly(List.of(word));
        assertThat(decoding.input().capacity()).isLessThan(1024);
    }

    @Test
    void decode_afterAllIsHandled_holdsNothing() {
        Decoding decoding = new Decoding();

        decoding.feedByteByByte(bytes("*2\r\n$3\r\nGET\r\n$6\r\nvisits\r\n"));

        assertThat(decoding.input().held()).isZero();
        assertThat(decoding.input().capacity()).isZero();
    }
}
