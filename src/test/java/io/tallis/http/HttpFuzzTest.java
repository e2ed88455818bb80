package io.tallis.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tallis.command.facts.CommandFacts;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Keyspace;
import io.tallis.resp.FrontEnd;
import io.tallis.testing.FakeClock;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import io.tallis.watch.Watching;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Requests that were damaged anyhow, several on a connection, cut anywhere: what comes out behind is RESP, what comes
/// back is HTTP, and what is kept is bounded.
final class HttpFuzzTest {
    private static final CommandFacts FACTS = CommandFacts.load();
    private static final String PASSWORD = "the right one";
    private static final int MOST_BODY = 10_000;
    private static final int LONGEST_PIECE = 100_000;
    private static final int MOST_HELD =
            LONGEST_PIECE + 4 * MOST_BODY + StrictDecoder.LONGEST_LINE + StrictDecoder.MOST_HEADERS;

    private static final Set<Integer> STATUSES =
            Set.of(100, 200, 304, 400, 401, 403, 404, 405, 408, 411, 413, 414, 415, 417, 431, 500, 501, 503, 505);

    private static final String HOST = " HTTP/1.1\r\nHost: localhost\r\n";
    private static final String JSON = HOST + "Content-Type: application/json\r\n";

    private static final List<String> REQUESTS = List.of(
            "GET /incr/a" + HOST + "Authorization: Bearer x\r\n\r\n",
            "GET /set/a%2Fb/%00?EX=5&_token=x" + HOST + "\r\n",
            "HEAD /live" + HOST + "\r\n",
            "GET /health" + HOST + "\r\n",
            "GET /metrics" + HOST + "\r\n",
            "GET /cluster" + HOST + "\r\n",
            "GET /page/main.js" + HOST + "Accept-Encoding: gzip\r\n\r\n",
            "GET /counters?prefix=a&cursor=0&limit=3" + HOST + "\r\n",
            "GET /counters/read?id=a&b&raw=true" + HOST + "\r\n",
            "GET /counters/watch?prefix=a" + HOST + "\r\n",
            "DELETE /counters?id=a" + JSON + "\r\n",
            body("/counters/increment", "[{\"name\":\"a\",\"change\":-9223372036854775808},{\"name\":\"\u00e9\"}]"),
            body("/", "[\"INCRBY\",\"a\",\"7\"]"),
            body("/pipeline", "[[\"INCR\",\"a\"],[\"GET\",1.5,null,true]]"),
            body("/multi-exec", "[[\"INCR\",\"a\"],[\"GET\",\"b\"]]"),
            "POST /" + JSON
                    + "Transfer-Encoding: chunked\r\n\r\n8\r\n[\"INCR\",\r\n4;x=y\r\n\"a\"]\r\n0\r\nTrailer: z\r\n\r\n",
            "POST /" + JSON + "Expect: 100-continue\r\nContent-Length: 12\r\n\r\n[\"INCR\",\"a\"]");

    private static final List<String> PIECES = List.of(
            "\r\n",
            "\n",
            "\0",
            " ",
            "/",
            "%",
            "%2F",
            "%zz",
            "%f0%28%8c%28",
            "?",
            "&id=",
            "=",
            ":",
            "\u00ff\u00fe",
            "Content-Length: 5\r\n",
            "Content-Length: 18446744073709551616\r\n",
            "Transfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked, identity\r\n",
            "Host: evil.example\r\n",
            "Connection: close\r\n",
            "Upstash-Encoding: base64\r\n",
            "ffffffffffffffff\r\n",
            "[".repeat(2000),
            "\"\\ud800\"",
            "1e400",
            "9223372036854775808",
            "{\"name\":\"a\",\"name\":\"b\"}",
            "*3\r\n$6\r\nINCRBY\r\n$1\r\na\r\n$1\r\n1\r\n",
            "X-Long: " + "x".repeat(20_000) + "\r\n",
            "y".repeat(70_000));

    private static String body(String path, String json) {
        int length = json.getBytes(StandardCharsets.UTF_8).length;
        String bytes = new String(json.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        return "POST " + path + JSON + "Content-Length: " + length + "\r\n\r\n" + bytes;
    }

    /// Stands for the connection of RESP: accepts nothing but complete commands, and replies 1 to each.
    private static final class StrictResp extends ChannelInboundHandlerAdapter {
        private int commands;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            try {
                while (bytes.isReadable()) {
                    command(bytes);
                    commands++;
                    var _ = context.channel().writeAndFlush(Unpooled.copiedBuffer(":1\r\n", StandardCharsets.US_ASCII));
                }
            } finally {
                bytes.release();
            }
        }

        private static void command(ByteBuf bytes) {
            int words = header('*', bytes);
            assertThat(words).isPositive();
            for (int i = 0; i < words; i++) {
                int length = header('$', bytes);
                bytes.skipBytes(length);
                lineEnd(bytes);
            }
        }

        private static int header(char type, ByteBuf bytes) {
            assertThat((char) bytes.readByte()).isEqualTo(type);
            int digits = bytes.bytesBefore((byte) '\r');
            int number = Integer.parseInt(
                    bytes.readCharSequence(digits, StandardCharsets.US_ASCII).toString());
            lineEnd(bytes);
            return number;
        }

        private static void lineEnd(ByteBuf bytes) {
            assertThat(bytes.readShort()).isEqualTo((short) ('\r' << 8 | '\n'));
        }
    }

    private String password = "";
    private final StrictResp resp = new StrictResp();
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private FrontEnd.Upstream upstream;
    private final StringBuilder received = new StringBuilder();

    private void connect() {
        var clock = new FakeClock();
        var keyspace =
                new Keyspace(new Replicas(new ReplicaId(1, 1)), new SplittableRandom(1)::nextLong, clock::epochMillis);
        HttpFrontEnd http = new HttpFrontEnd(
                FACTS,
                new HttpFrontEnd.Node(
                        () -> new Health(true, "ready", ""),
                        () -> new ClusterFacts("none", List.of()),
                        () -> "# HELP a Some.\n",
                        new Watching(keyspace, _ -> "north", new EventFormat(), clock)),
                () -> new HttpLimits(new OnePassword(password), true, Set.of("*"), MOST_BODY, 1_000));
        upstream = http.addTo(channel, new Traffic());
        channel.pipeline().addLast(resp);
    }

    private void send(String bytes) {
        if (channel.isOpen()) {
            channel.writeInbound(Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1));
            channel.runPendingTasks();
            channel.checkException();
            assertThat(upstream.held()).isLessThan(MOST_HELD);
        }
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            received.append(out.toString(StandardCharsets.ISO_8859_1));
            out.release();
        }
    }

    private void sendInPieces(String bytes, Gen gen) {
        int from = 0;
        while (from < bytes.length()) {
            int to = Math.min(bytes.length(), from + gen.between(1, gen.pick(3, 50, LONGEST_PIECE)));
            send(bytes.substring(from, to));
            from = to;
        }
    }

    private static String damaged(String request, Gen gen) {
        StringBuilder damaged = new StringBuilder(request);
        int times = gen.between(0, 3);
        for (int i = 0; i < times && !damaged.isEmpty(); i++) {
            int at = gen.between(0, damaged.length() - 1);
            switch (gen.between(0, 4)) {
                case 0 -> damaged.setCharAt(at, (char) gen.between(0, 255));
                case 1, 2 -> damaged.insert(at, gen.pick(PIECES));
                case 3 -> damaged.delete(at, Math.min(damaged.length(), at + gen.between(1, 30)));
                default ->
                    damaged.insert(at, damaged.substring(at, Math.min(damaged.length(), at + gen.between(1, 60))));
            }
        }
        return damaged.toString();
    }

    /// Reads all that was received as responses, and returns their statuses. Fails if it is anything else.
    private List<Integer> statuses() {
        List<Integer> statuses = new ArrayList<>();
        String rest = received.toString();
        while (!rest.isEmpty()) {
            int end = rest.indexOf("\r\n\r\n");
            assertThat(end).as(rest).isPositive();
            String head = rest.substring(0, end).toLowerCase(Locale.ROOT);
            int status = Integer.parseInt(head, 9, 12, 10);
            assertThat(STATUSES).as(head).contains(status);
            statuses.add(status);
            rest = rest.substring(end + 4);
            if (head.contains("text/event-stream")) {
                assertThat(rest).startsWith("retry: ");
                return statuses;
            }
            boolean hasBody = status != 100 && status != 304;
            int length = hasBody ? Integer.parseInt(head.replaceAll("(?s).*\r\ncontent-length: (\\d+).*", "$1")) : 0;
            // A HEAD has the length and not the body, in front of the next response.
            boolean isHead = rest.isEmpty() || rest.startsWith("HTTP/1.1 ");
            rest = isHead ? rest : rest.substring(length);
            assertThat(rest.isEmpty() || !head.contains("connection: close"))
                    .as(rest)
                    .isTrue();
        }
        return statuses;
    }

    @Test
    void goodRequests_inAnyPieces_areAllAnswered() {
        Property.forAll(gen -> new HttpFuzzTest().checkGood(gen));
    }

    private void checkGood(Gen gen) {
        connect();
        List<String> requests = gen.listOf(10, () -> gen.pick(REQUESTS));
        sendInPieces(String.join("", requests), gen);

        List<Integer> statuses = statuses();
        statuses.removeIf(status -> status == 100);
        int watch = requests.indexOf(REQUESTS.get(9));
        assertThat(statuses).hasSize(watch < 0 ? requests.size() : watch + 1);
        assertThat(statuses).isSubsetOf(200, 400, 415);
        channel.finishAndReleaseAll();
    }

    @Test
    void damagedRequests_areAnsweredOrRefusedAndNothingElse() {
        Property.forAll(gen -> new HttpFuzzTest().checkDamaged(gen));
    }

    private void checkDamaged(Gen gen) {
        connect();
        sendInPieces(String.join("", gen.listOf(6, () -> damaged(gen.pick(REQUESTS), gen))), gen);

        statuses();
        channel.finishAndReleaseAll();
    }

    @Test
    void damagedRequests_withoutThePassword_reachNothing() {
        Property.forAll(gen -> new HttpFuzzTest().checkWithoutPassword(gen));
    }

    private void checkWithoutPassword(Gen gen) {
        password = PASSWORD;
        connect();
        sendInPieces(String.join("", gen.listOf(6, () -> damaged(gen.pick(REQUESTS), gen))), gen);

        assertThat(resp.commands).isZero();
        statuses();
        channel.finishAndReleaseAll();
    }
}
