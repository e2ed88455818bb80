package io.tallis.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.tallis.command.facts.CommandFacts;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.resp.FrontEnd;
import io.tallis.testing.FakeClock;
import io.tallis.watch.Watching;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Connections of HTTP in front of a stand-in for that of RESP, which replies when the test says so.
final class HttpConnectionTest {
    private static final CommandFacts FACTS = CommandFacts.load();
    private static final String GET_LIVE = "GET /live HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String GET_A = "GET /get/a HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private String password = "";
    private final Traffic traffic = new Traffic();
    private Set<String> origins = Set.of();
    private final List<EmbeddedChannel> channels = new ArrayList<>();

    /// The connection of RESP: notes what it gets.
    private static final class Resp extends ChannelInboundHandlerAdapter {
        private final StringBuilder requests = new StringBuilder();
        private final Queue<String> replies = new ArrayDeque<>();
        private boolean ended;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            requests.append(bytes.toString(StandardCharsets.ISO_8859_1));
            bytes.release();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            while (!replies.isEmpty()) {
                reply(context, replies.remove());
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            ended |= event instanceof ChannelInputShutdownEvent;
        }

        void reply(ChannelHandlerContext context, String reply) {
            var _ = context.channel()
                    .writeAndFlush(
                            Unpooled.copiedBuffer(reply, StandardCharsets.ISO_8859_1),
                            context.channel().voidPromise());
        }
    }

    private record Client(EmbeddedChannel channel, FrontEnd.Upstream upstream, Resp resp) {
        Client send(String bytes) {
            channel.writeInbound(Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1));
            return this;
        }

        Client reply(String reply) {
            resp.reply(channel.pipeline().lastContext(), reply);
            return this;
        }

        /// What the client has got since the last call.
        String received() {
            channel.runPendingTasks();
            StringBuilder all = new StringBuilder();
            for (ByteBuf bytes = channel.readOutbound(); bytes != null; bytes = channel.readOutbound()) {
                all.append(bytes.toString(StandardCharsets.ISO_8859_1));
                bytes.release();
            }
            return all.toString();
        }

        /// The status lines and bodies of what the client has got.
        List<String> responses() {
            List<String> responses = new ArrayList<>();
            for (String response : received().split("HTTP/1.1 (?=\\d)", -1)) {
                if (!response.isEmpty()) {
                    responses.add(response.substring(0, 3) + response.substring(response.indexOf("\r\n\r\n") + 4));
                }
            }
            return responses;
        }
    }

    private final FakeClock clock = new FakeClock();
    private final Keyspace keyspace =
            new Keyspace(new Replicas(new ReplicaId(1, 1)), new SplittableRandom(1)::nextLong, clock::epochMillis);

    /// Its thread is not started: no test of this class waits for changes.
    private final Watching watching = new Watching(keyspace, _ -> "north", new EventFormat(), clock);

    private Client connect() {
        EmbeddedChannel channel = new EmbeddedChannel();
        channels.add(channel);
        HttpFrontEnd http = new HttpFrontEnd(
                FACTS,
                new HttpFrontEnd.Node(
                        () -> new Health(false, "joining", "It waits"),
                        () -> new ClusterFacts("none", List.of()),
                        () -> "# HELP a Some.\n",
                        watching),
                () -> new HttpLimits(new OnePassword(password), true, origins, 10_000, 1_000));
        FrontEnd.Upstream upstream = http.addTo(channel, traffic);
        Resp resp = new Resp();
        channel.pipeline().addLast(resp);
        return new Client(channel, upstream, resp);
    }

    @AfterEach
    void close() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    @Test
    void request_cutAnywhere_isTheSameCommands() {
        String request = String.join(
                "\r\n",
                "POST /incrby/a%2Fb?_token=x HTTP/1.1",
                "Host: localhost:1",
                "Transfer-Encoding: chunked",
                "Content-Type: application/json; charset=utf-8",
                "",
                "1",
                "4",
                "1;x=y",
                "2",
                "0",
                "Trailer: z",
                "",
                "");
        for (int cut = 0; cut <= request.length(); cut++) {
            Client client = connect();
            client.resp.replies.add(":7\r\n");

            client.send(request.substring(0, cut)).send(request.substring(cut));

            assertThat(client.resp.requests).asString().isEqualTo("*3\r\n$6\r\nincrby\r\n$3\r\na/b\r\n$2\r\n42\r\n");
        }
    }

    @Test
    void request_inSingleBytes_isAnswered() {
        Client client = connect();

        GET_A.chars().forEach(c -> client.send(Character.toString(c)));
        client.reply("$1\r").reply("\n5\r\n");

        assertThat(client.responses()).containsExactly("200{\"result\":\"5\"}");
    }

    @Test
    void responses_toPipelinedRequests_leaveInTheirOrder() {
        Client client = connect();

        client.send(GET_A + GET_LIVE + GET_A + "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n");
        List<String> before = client.responses();
        client.reply("$1\r\n5\r\n");
        List<String> first = client.responses();
        client.reply("-LOADING x\r\n");

        assertThat(before).isEmpty();
        assertThat(first).containsExactly("200{\"result\":\"5\"}", "200{\"state\":\"live\"}");
        assertThat(client.responses())
                .containsExactly(
                        "503{\"error\":\"LOADING x\"}",
                        "404{\"error\":\"ERR there is neither a path /nothing nor a command 'nothing'\"}");
    }

    @Test
    void reading_whileManyRequestsWait_stops() {
        Client client = connect();

        client.send(GET_A.repeat(HttpConnection.MOST_WAITING - 1));
        boolean before = client.channel.config().isAutoRead();
        client.send(GET_A);
        boolean full = client.channel.config().isAutoRead();
        client.reply("$-1\r\n").responses();

        assertThat(before).isTrue();
        assertThat(full).isFalse();
        assertThat(client.channel.config().isAutoRead()).isTrue();
    }

    /// A client that sends requests of a few bytes for responses of many, and takes none of them.
    @Test
    void responses_toRequestsOfOneRead_areNotAllMadeAtOnce() {
        for (int requests = 1; requests <= 1_000; requests = requests < 20 ? requests + 1 : requests * 7) {
            ask(requests);
        }
    }

    private void ask(int requests) {
        Client client = connect();
        AtomicLong most = new AtomicLong();
        client.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
                var _ = context.write(message, promise);
                long pending = client.channel.unsafe().outboundBuffer().totalPendingWriteBytes();
                most.accumulateAndGet(pending, Math::max);
            }
        });

        client.send("GET /page/style.css HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(requests) + GET_LIVE);

        assertThat(client.responses()).hasSize(requests + 1).last().isEqualTo("200{\"state\":\"live\"}");
        assertThat(most.get()).isLessThan(200_000);
    }

    @Test
    void body_ofARequestThatNeedsNoPassword_isNotTaken() {
        password = "secret";
        for (String path : List.of("/live", "/health", "/page/main.js")) {
            assertThat(connect()
                            .send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n")
                            .responses())
                    .as(path)
                    .singleElement()
                    .asString()
                    .startsWith("400");
        }
    }

    @Test
    void requests_behindAStreamOfEvents_areDropped() {
        Client client = connect();
        client.send("GET /counters/watch?prefix=a HTTP/1.1\r\nHost: localhost\r\n\r\n" + GET_A + GET_LIVE);
        String asked = client.resp.requests.toString();

        client.reply("*2\r\n$1\r\n0\r\n*0\r\n");
        client.reply("$1\r\n5\r\n");

        assertThat(asked).isEqualTo(client.resp.requests.toString()).doesNotContain("get\r\n");
        assertThat(client.responses()).containsExactly("200retry: 2000\n\n");
        assertThat(client.upstream.held()).isZero();
    }

    @Test
    void watcher_thatIsGone_isForgotten() {
        Client client = connect();
        client.send("GET /counters/watch?prefix=a HTTP/1.1\r\nHost: localhost\r\n\r\n");
        client.reply("*2\r\n$1\r\n0\r\n*0\r\n");
        watching.round();
        new Counters(keyspace, ChangeLog.NONE).add(Key.of(new byte[] {'a'}), 1);
        long watched = keyspace.marked(Keyspace.Consumer.WATCHERS);

        var _ = client.channel.close();
        watching.round();

        assertThat(watched).isOne();
        assertThat(keyspace.marked(Keyspace.Consumer.WATCHERS)).isZero();
    }

    @Test
    void bytesHeld_areThoseOfAnUnfinishedRequest() {
        String head = "POST /incr/a HTTP/1.1\r\nHost: localhost\r\n";
        Client client = connect().send(head);
        long inHead = client.upstream.held();

        client.send("Authorization: Bearer x\r\nContent-Length: 100\r\n\r\nsome");
        long inBody = client.upstream.held();
        client.send("x".repeat(96)).reply(":1\r\n");

        assertThat(inHead).isEqualTo(head.length());
        assertThat(inBody).isBetween(4L, 256L);
        assertThat(client.upstream.held()).isZero();
    }

    @Test
    void bytes_areCountedAsTheClientSendsAndGetsThem() {
        String asked = "POST /ping HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n";
        String watch = "GET /counters/watch?prefix=a HTTP/1.1\r\nHost: localhost\r\n\r\n";
        String sent = GET_LIVE + GET_A + asked + "x" + watch;

        Client client = connect().send(GET_LIVE + GET_A);
        client.reply("$1\r\n5\r\n").send(asked).send("x");
        client.reply("$1\r\nx\r\n").send(watch).reply("*2\r\n$1\r\n0\r\n*0\r\n");
        watching.round();
        String received = client.received();

        assertThat(received).contains("HTTP/1.1 100 ", "retry: 2000", "event: complete");
        assertThat(traffic.received).isEqualTo(sent.length());
        assertThat(traffic.sent).isEqualTo(received.length());
    }

    @Test
    void metrics_arePlainTextForThoseWhoHaveThePassword() {
        String request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n";

        String open = connect().send(request + "\r\n").received();
        password = "secret";
        String refused = connect().send(request + "\r\n").received();
        String known =
                connect().send(request + "Authorization: Bearer secret\r\n\r\n").received();

        assertThat(open)
                .startsWith("HTTP/1.1 200")
                .contains("\r\ncontent-type: text/plain; version=0.0.4; charset=utf-8\r\n")
                .endsWith("\r\n\r\n# HELP a Some.\n");
        assertThat(refused).startsWith("HTTP/1.1 401").contains("\r\ncontent-type: application/json\r\n");
        assertThat(known).startsWith("HTTP/1.1 200").endsWith("# HELP a Some.\n");
    }

    @Test
    void requests_thatAnotherServerMayReadInAnotherWay_closeTheConnection() {
        String post = "POST /incr/a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n";
        String next = "GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n";
        for (String request : List.of(
                post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n12345",
                post + "Content-Length: 5, 5\r\n\r\n12345",
                post + "Content-Length: -1\r\n\r\n",
                post + "Content-Length: +1\r\n\r\n1",
                post + "Content-Length: 0x1\r\n\r\n1",
                post + "Content-Length: 1 \n\r\n1",
                post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
                post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n1\r\n0\r\n\r\n",
                post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
                post.replace("HTTP/1.1", "HTTP/1.0") + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                post.replace("HTTP/1.1", "HTTP/2.0") + "\r\n",
                post + "Bad Header: 1\r\n\r\n",
                post + "A: 1\0\r\n\r\n",
                "\u0016\u0003\u0001\r\n\r\n")) {
            Client client = connect();

            client.send(request + next);

            assertThat(client.responses())
                    .as(request)
                    .singleElement()
                    .asString()
                    .matches("(?s)(400|501|505).*");
            assertThat(client.resp.requests).as(request).isEmpty();
            assertThat(client.resp.ended).as(request).isTrue();
        }
    }

    @Test
    void host_missingOrTwice_isRefused() {
        assertThat(connect().send("GET /live HTTP/1.1\r\n\r\n").responses())
                .singleElement()
                .asString()
                .startsWith("400");
        assertThat(connect()
                        .send("GET /live HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n")
                        .responses())
                .singleElement()
                .asString()
                .startsWith("400");
        assertThat(connect().send("GET /live HTTP/1.0\r\n\r\n").responses())
                .singleElement()
                .asString()
                .startsWith("200");
    }

    @Test
    void refusal_ofAClientThatWantsNoMore_isTheEnd() {
        assertThat(connect().send("GET /get/a HTTP/1.0\r\nHost: a\r\n\r\n").received())
                .startsWith("HTTP/1.1 403")
                .contains("connection: close");
        assertThat(connect().send("GET /get/a HTTP/1.1\r\nHost: a\r\n\r\n").received())
                .contains("connection: keep-alive");
    }

    @Test
    void body_expectedAfterAContinue_isAskedForInItsTurn() {
        Client client = connect();

        client.send(
                GET_A + "POST /ping HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n");
        List<String> before = client.responses();
        client.reply("$-1\r\n");
        List<String> then = client.responses();
        client.send("a").reply("$1\r\na\r\n");

        assertThat(before).isEmpty();
        assertThat(then).containsExactly("200{\"result\":null}", "100");
        assertThat(client.responses()).containsExactly("200{\"result\":\"a\"}");
    }

    @Test
    void sizes_beyondTheLimits_areRefused() {
        String post = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

        assertThat(connect().send(post + "Content-Length: 10001\r\n\r\n").responses())
                .allMatch(r -> r.startsWith("413"));
        assertThat(connect()
                        .send(post + "Content-Length: 99999999999999999999\r\n\r\n")
                        .responses())
                .allMatch(r -> r.startsWith("400"));
        assertThat(connect()
                        .send(post + "Transfer-Encoding: chunked\r\n\r\n"
                                + ("3e8\r\n" + "x".repeat(1000) + "\r\n").repeat(11))
                        .responses())
                .singleElement()
                .asString()
                .startsWith("413");
        assertThat(connect()
                        .send(sized(post, "[\"ECHO\",\"" + "x".repeat(1001) + "\"]"))
                        .responses())
                .singleElement()
                .asString()
                .startsWith("413");
        assertThat(connect()
                        .send(sized(post, "[" + "\"\",".repeat(3000) + "\"\"]"))
                        .responses())
                .singleElement()
                .asString()
                .startsWith("413");
        assertThat(connect().send(post + "\r\n").responses())
                .singleElement()
                .asString()
                .startsWith("411");
        assertThat(connect()
                        .send("GET /" + "x".repeat(70_000) + " HTTP/1.1\r\n")
                        .responses())
                .singleElement()
                .asString()
                .startsWith("414");
        assertThat(connect()
                        .send("GET / HTTP/1.1\r\n" + "a: b\r\n".repeat(5000))
                        .responses())
                .singleElement()
                .asString()
                .startsWith("431");
    }

    @Test
    void reply_beyondTheLimit_isAnErrorAndTheEnd() {
        Client client = connect().send(GET_A + GET_A);

        String megabyte = "x".repeat(1 << 20);
        client.reply("$" + (20 << 20) + "\r\n");
        for (int i = 0; i <= HttpConnection.MOST_REPLY_BYTES >> 20; i++) {
            client.reply(megabyte);
        }

        assertThat(client.responses()).singleElement().asString().startsWith("500");
        assertThat(client.resp.ended).isTrue();
    }

    @Test
    void connection_thatTheClientCloses_endsAfterTheResponse() {
        Client client = connect();

        client.send(GET_A.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n") + GET_A);
        boolean early = client.resp.ended;
        String response = client.reply("$-1\r\n").received();

        assertThat(early).isFalse();
        assertThat(client.resp.requests).asString().isEqualTo("*2\r\n$3\r\nget\r\n$1\r\na\r\n");
        assertThat(response).contains("connection: close");
        assertThat(client.resp.ended).isTrue();
    }

    @Test
    void password_isPassedOnOnce() {
        password = "p\u00e4ss";
        Client client = connect();
        String get = GET_A.replace("\r\n\r\n", "\r\nAuthorization: bearer p\u00c3\u00a4ss\r\n\r\n");
        client.resp.replies.addAll(List.of("+OK\r\n", "$-1\r\n"));

        client.send(get);
        client.resp.replies.add("$-1\r\n");
        client.send(get);

        assertThat(client.responses()).containsExactly("200{\"result\":null}", "200{\"result\":null}");
        assertThat(client.resp.requests)
                .asString()
                .isEqualTo("*3\r\n$4\r\nAUTH\r\n$7\r\ndefault\r\n$5\r\np\u00c3\u00a4ss\r\n"
                        + "*2\r\n$3\r\nget\r\n$1\r\na\r\n".repeat(2));
    }

    @Test
    void password_thatIsMissingOrWrong_isRefusedEverywhereButForProbes() {
        password = "secret";
        for (String path : List.of("/get/a", "/counters/read?id=a", "/nothing", "/get/a?_token=wrong")) {
            Client client = connect().send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n" + GET_LIVE);

            assertThat(client.responses())
                    .as(path)
                    .hasSize(2)
                    .first()
                    .asString()
                    .startsWith("401");
            assertThat(client.resp.requests).isEmpty();
        }
        assertThat(connect()
                        .send("GET /health HTTP/1.1\r\nHost: any.example\r\n\r\n")
                        .responses())
                .containsExactly("503{\"state\":\"joining\"}");
        assertThat(connect()
                        .send("GET /health?_token=secret HTTP/1.1\r\nHost: any.example\r\n\r\n")
                        .responses())
                .containsExactly("503{\"state\":\"joining\",\"error\":\"It waits\"}");
    }

    @Test
    void noAuth_ofRespInBetween_endsTheConnection() {
        password = "secret";
        Client client = connect();
        client.resp.replies.addAll(List.of("-WRONGPASS x\r\n", "-NOAUTH Authentication required.\r\n"));

        client.send(GET_A.replace("/a", "/a?_token=secret"));

        assertThat(client.responses()).containsExactly("401{\"error\":\"NOAUTH Authentication required.\"}");
        assertThat(client.resp.ended).isTrue();
    }

    @Test
    void changes_thatAPageOfAnotherSiteCouldSend_areRefused() {
        for (String request : List.of(
                "GET /incr/a HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /incr/a?_token=x HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /shutdown HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "DELETE /counters?id=a HTTP/1.1\r\nHost: localhost\r\n\r\n",
                sized(
                        "POST /multi-exec HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n",
                        "[[\"INCR\",\"a\"]]"),
                sized("POST /counters/increment HTTP/1.1\r\nHost: localhost\r\n", "[{\"name\":\"a\"}]"))) {
            Client client = connect().send(request);

            assertThat(client.responses())
                    .as(request)
                    .singleElement()
                    .asString()
                    .startsWith("415");
            assertThat(client.resp.requests).isEmpty();
        }
    }

    @Test
    void host_thatIsAName_isRefusedInProtectedMode() {
        for (String host : List.of("127.0.0.1", "127.0.0.1:8379", "[::1]", "[::1]:8379", "localhost", "LOCALHOST:1")) {
            assertThat(connect().send(GET_A.replace("localhost", host)).resp.requests)
                    .as(host)
                    .isNotEmpty();
        }
        for (String host : List.of("evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "")) {
            assertThat(connect().send(GET_A.replace("localhost", host)).responses())
                    .as(host)
                    .singleElement()
                    .asString()
                    .startsWith("403");
        }
    }

    @Test
    void methodsThatAPathHasNot_areToldWhichItHas() {
        String response = connect()
                .send("OPTIONS /counters HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a\r\n\r\n")
                .received();

        assertThat(response)
                .startsWith("HTTP/1.1 405")
                .contains("allow: GET, DELETE")
                .doesNotContain("access-control");
    }

    @Test
    void page_ofAnAllowedOrigin_mayAskAndReadAnswersAndErrors() {
        origins = Set.of("https://app.example");
        password = "secret";
        String from = " HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n";

        String asked = connect()
                .send("OPTIONS /counters/increment" + from + "Access-Control-Request-Method: POST\r\n\r\n")
                .received();
        Client refused = connect().send("GET /get/a" + from + "\r\n");

        assertThat(asked)
                .startsWith("HTTP/1.1 200")
                .contains("access-control-allow-origin: https://app.example\r\n")
                .contains("vary: origin\r\n")
                .contains("access-control-allow-methods: GET, HEAD, POST, DELETE\r\n")
                .contains("access-control-allow-headers: authorization, content-type");
        assertThat(refused.received())
                .startsWith("HTTP/1.1 401")
                .contains("access-control-allow-origin: https://app.example\r\n");
        assertThat(refused.resp.requests).isEmpty();
    }

    @Test
    void page_ofAnotherOrigin_isToldNothing() {
        origins = Set.of("https://app.example");
        for (String origin : List.of("https://app.example.evil.example", "http://app.example", "null")) {
            String response = connect()
                    .send("OPTIONS /counters HTTP/1.1\r\nHost: localhost\r\nOrigin: " + origin
                            + "\r\nAccess-Control-Request-Method: DELETE\r\n\r\n")
                    .received();

            assertThat(response).as(origin).startsWith("HTTP/1.1 405").doesNotContain("access-control");
        }
    }

    @Test
    void parameters_thatAPathHasNot_areRefused() {
        for (String request : List.of(
                "GET /counters?prefx=a",
                "GET /counters?id=a",
                "GET /counters?a",
                "GET /counters?limit=0",
                "GET /counters?limit=1001",
                "GET /counters?cursor=abc",
                "GET /counters?cursor=-1",
                "GET /counters?cursor=4398046511104",
                "GET /counters?cursor=18446744073709551615",
                "GET /counters/read?id=a&tpye=gcount",
                "GET /counters/read?id=a&raw",
                "GET /counters/read?id=a&prefix=b",
                "GET /counters/watch?prefix=a&id=b",
                "GET /counters/watch?prefix=a&b",
                "GET /counters/watch?prefix",
                "DELETE /counters?id=a&tpye=gcount",
                "DELETE /counters?id=a&type")) {
            Client client =
                    connect().send(request + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\r\n");

            assertThat(client.responses())
                    .as(request)
                    .singleElement()
                    .asString()
                    .startsWith("400");
            assertThat(client.resp.requests).as(request).isEmpty();
        }
        Client increment = connect()
                .send(sized(
                        "POST /counters/increment?tpye=gcount HTTP/1.1\r\nHost: localhost\r\nAuthorization: x\r\n",
                        "[{\"name\":\"a\"}]"));
        assertThat(increment.responses())
                .containsExactly("400{\"error\":\"ERR unknown parameter 'tpye', expected type\"}");
        assertThat(increment.resp.requests).isEmpty();
    }

    @Test
    void head_hasNoBody() {
        assertThat(connect()
                        .send("HEAD /live HTTP/1.1\r\nHost: a\r\n\r\n" + GET_LIVE)
                        .responses())
                .containsExactly("200", "200{\"state\":\"live\"}");
        assertThat(connect()
                        .send("HEAD /get/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        .responses())
                .containsExactly("405");
    }

    @Test
    void commands_withoutMeaning_areRefused() {
        for (String command : List.of(
                "subscribe/a",
                "monitor",
                "client/tracking/on",
                "client/caching/yes",
                "hello/3",
                "reset",
                "quit",
                "client/reply/off",
                "multi",
                "exec",
                "watch/a",
                "auth/x")) {
            Client client = connect()
                    .send("GET /" + command + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\n");

            assertThat(client.responses())
                    .as(command)
                    .singleElement()
                    .asString()
                    .matches("400.*has no meaning over HTTP.*");
            assertThat(client.resp.requests).isEmpty();
        }
        Client client = connect()
                .send(sized(
                        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n",
                        "[\"PoSt\", \"x\"]"));
        assertThat(client.responses()).singleElement().asString().startsWith("400");
    }

    private static String sized(String head, String body) {
        return head + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }
}
