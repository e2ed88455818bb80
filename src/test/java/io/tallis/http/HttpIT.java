package io.tallis.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.ClusterPorts;
import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import io.tallis.testing.ServerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// HTTP against whole nodes, with the JDK's client.
final class HttpIT {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final int port = freePort();

    @TempDir
    Path dir;

    private static int freePort() {
        try {
            return ClusterPorts.free();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private LocalServer server(String... settings) {
        List<String> all = new ArrayList<>(List.of("http-port", String.valueOf(port)));
        all.addAll(List.of(settings));
        return LocalServer.inMemory(all.toArray(String[]::new));
    }

    private String send(HttpRequest.Builder request) {
        try {
            var response = CLIENT.send(request.build(), BodyHandlers.ofString());
            return response.statusCode() + " " + response.body();
        } catch (IOException e) {
            return e.getClass().getSimpleName();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    private String get(String path) {
        return send(to(path));
    }

    private String post(String path, String json) {
        return send(to(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)));
    }

    @Test
    void counters_areIncrementedReadListedAndDeleted() {
        try (LocalServer _ = server("name", "north")) {
            assertThat(post(
                            "/counters/increment",
                            "[{\"name\": \"users/1/visits\", \"change\": 43}, {\"name\": \"users/1/posts\", \"change\": 2},"
                                    + " {\"name\": \"users/1/posts\"}]"))
                    .isEqualTo("200 {\"users/1/visits\":43,\"users/1/posts\":3}");
            assertThat(get("/counters/read?id=users/1/visits&id=users/1/posts"))
                    .isEqualTo("200 {\"users/1/visits\":43,\"users/1/posts\":3}");
            assertThat(get("/counters/read?id=users/1/visits&users/1/posts"))
                    .isEqualTo("200 {\"users/1/visits\":43,\"users/1/posts\":3}");
            assertThat(get("/counters/read?id=users/1/visits&none&raw=true"))
                    .isEqualTo("200 {\"users/1/visits\":{\"north\":43},\"none\":{}}");
            assertThat(get("/counters?prefix=users/1/v&limit=10"))
                    .isEqualTo("200 {\"cursor\":\"0\",\"names\":[\"users/1/visits\"]}");
            assertThat(get("/counters?prefix=*")).isEqualTo("200 {\"cursor\":\"0\",\"names\":[]}");
            assertThat(send(to("/counters?id=users/1/visits&none")
                            .header("Content-Type", "application/json")
                            .DELETE()))
                    .isEqualTo("200 {\"deleted\":1}");
            assertThat(get("/counters/read?users/1/visits")).isEqualTo("200 {\"users/1/visits\":0}");
        }
    }

    @Test
    void networkBytes_areThoseOfHttp() throws IOException {
        try (LocalServer _ = server();
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String request = "GET /info/stats HTTP/1.1\r\nHost: localhost\r\n\r\n";
            String first = exchange(socket, request);
            String second = exchange(socket, request);

            assertThat(statistic(second, "total_net_input_bytes") - statistic(first, "total_net_input_bytes"))
                    .isEqualTo(request.length());
            assertThat(statistic(second, "total_net_output_bytes") - statistic(first, "total_net_output_bytes"))
                    .isEqualTo(first.length());
        }
    }

    /// Sends a request and returns its whole response, head included.
    private static String exchange(Socket socket, String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        StringBuilder response = new StringBuilder();
        while (!response.toString().endsWith("\"}")) {
            response.append((char) socket.getInputStream().read());
        }
        return response.toString();
    }

    private static long statistic(String response, String name) {
        Matcher line = Pattern.compile(name + ":([0-9]+)").matcher(response);
        assertThat(line.find()).isTrue();
        return Long.parseLong(line.group(1));
    }

    @Test
    void counters_byType_areApart() {
        try (LocalServer _ = server()) {
            assertThat(post(
                            "/counters/increment?type=gcount",
                            "[{\"name\": \"a\", \"change\": \"18446744073709551615\"}]"))
                    .isEqualTo("200 {\"a\":\"18446744073709551615\"}");
            assertThat(post("/counters/increment", "[{\"name\": \"a\", \"change\": -5}]"))
                    .isEqualTo("200 {\"a\":-5}");
            assertThat(get("/counters/read?id=a&type=gcount")).isEqualTo("200 {\"a\":\"18446744073709551615\"}");
            assertThat(post("/counters/increment?type=gcount", "[{\"name\": \"a\", \"change\": -5}]"))
                    .startsWith("400 ");
            assertThat(get("/counters/read?id=a&type=x")).startsWith("400 ");
        }
    }

    @Test
    void bigNumbers_arriveWhole() {
        try (LocalServer _ = server()) {
            assertThat(post("/counters/increment", "[{\"name\": \"a\", \"change\": 9007199254740992}]"))
                    .isEqualTo("200 {\"a\":9007199254740992}");
            assertThat(post("/", "[\"INCR\", \"a\"]")).isEqualTo("200 {\"result\":\"9007199254740993\"}");
            assertThat(post("/", "[\"INCRBY\", \"b\", \"-9223372036854775808\"]"))
                    .isEqualTo("200 {\"result\":\"-9223372036854775808\"}");
            assertThat(post("/counters/increment", "[{\"name\": \"a\", \"change\": 1e3}]"))
                    .startsWith("400 ");
            assertThat(post("/counters/increment", "[{\"name\": \"a\", \"change\": 9223372036854775808}]"))
                    .startsWith("400 ");
        }
    }

    @Test
    void batch_ofWhichOneChangeIsRefused_changesNothing() {
        try (LocalServer _ = server()) {
            post("/", "[\"SET\", \"full\", \"9223372036854775807\"]");

            String refused = post("/counters/increment", "[{\"name\": \"a\"}, {\"name\": \"full\"}]");

            assertThat(refused).isEqualTo("400 {\"error\":\"ERR increment or decrement would overflow\"}");
            assertThat(get("/counters/read?a&full")).isEqualTo("200 {\"a\":0,\"full\":\"9223372036854775807\"}");
        }
    }

    @Test
    void batch_ofTooManyChanges_changesNothing() {
        try (LocalServer _ = server()) {
            String changes = IntStream.range(0, 200_000)
                    .mapToObj(i -> "{\"name\":\"k" + i + "\"}")
                    .collect(Collectors.joining(",", "[", "]"));

            assertThat(post("/counters/increment", changes))
                    .startsWith("413 {\"error\":\"ERR this changes more than 8388608 bytes of counters at once");
            assertThat(get("/counters/read?id=k0")).isEqualTo("200 {\"k0\":0}");
        }
    }

    @Test
    void list_inSteps_hasAllNames() {
        try (LocalServer _ = server()) {
            for (int i = 0; i < 60; i++) {
                post("/", "[\"INCR\", \"k" + i + "\"]");
            }
            Set<String> names = new HashSet<>();
            String cursor = "0";
            do {
                String answer = get("/counters?limit=1&cursor=" + cursor);
                Matcher matcher = Pattern.compile("\\{\"cursor\":\"(\\d+)\",\"names\":\\[(.*)]}")
                        .matcher(answer);
                assertThat(matcher.find()).as(answer).isTrue();
                cursor = matcher.group(1);
                names.addAll(List.of(matcher.group(2).split(",", -1)));
            } while (!cursor.equals("0"));

            assertThat(names).contains("\"k0\"", "\"k59\"");
            names.remove("");
            assertThat(names).hasSize(60);
        }
    }

    @Test
    void batches_atTheSameTime_areSeenWhole() throws Exception {
        try (LocalServer _ = server("io-threads", "2");
                ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                answers.add(threads.submit(() ->
                        post("/counters/increment", "[{\"name\": \"a\"}, {\"name\": \"b\"}, {\"name\": \"c\"}]")));
            }
            for (Future<String> answer : answers) {
                assertThat(answer.get()).matches("200 \\{\"a\":(\\d+),\"b\":\\1,\"c\":\\1}");
            }

            assertThat(get("/counters/read?a&b&c")).isEqualTo("200 {\"a\":400,\"b\":400,\"c\":400}");
        }
    }

    @Test
    void commands_inTheDialectOfUpstash_areAnswered() {
        try (LocalServer _ = server()) {
            HttpRequest.Builder request = to("/incrby/a/5").header("Authorization", "Bearer any");
            assertThat(send(request)).isEqualTo("200 {\"result\":5}");
            assertThat(send(to("/set/b?EX=100")
                            .header("Authorization", "Bearer any")
                            .POST(BodyPublishers.ofString("7"))))
                    .isEqualTo("200 {\"result\":\"OK\"}");
            assertThat(get("/ttl/b")).isEqualTo("200 {\"result\":100}");
            assertThat(get("/get/none")).isEqualTo("200 {\"result\":null}");
            assertThat(get("/ping")).isEqualTo("200 {\"result\":\"PONG\"}");
            assertThat(send(to("/get/a").header("Upstash-Encoding", "base64"))).isEqualTo("200 {\"result\":\"NQ==\"}");
            assertThat(get("/nothing/a"))
                    .isEqualTo("404 {\"error\":\"ERR there is neither a path /nothing/a nor a command 'nothing'\"}");
            assertThat(get("/get")).isEqualTo("400 {\"error\":\"ERR wrong number of arguments for 'get' command\"}");
            assertThat(post("/pipeline", "[[\"INCR\",\"a\"],[\"NOTHING\"],[\"GET\",\"a\"]]"))
                    .startsWith("200 [{\"result\":6},{\"error\":\"ERR unknown command 'NOTHING'")
                    .endsWith("},{\"result\":\"6\"}]");
            assertThat(post("/pipeline", "[[\"INCR\",\"a\"],[\"MULTI\"]]")).startsWith("400 ");
            assertThat(post("/multi-exec", "[[\"INCR\",\"a\"],[\"GET\",\"a\"]]"))
                    .isEqualTo("200 [{\"result\":7},{\"result\":\"7\"}]");
            assertThat(post("/multi-exec", "[[\"INCR\",\"a\"],[\"GET\"]]"))
                    .isEqualTo("400 {\"error\":\"ERR wrong number of arguments for 'get' command\"}");
            assertThat(post("/pipeline", "[[\"INCR\",\"a\"],[\"WAIT\",\"1\",\"10\"],[\"INCR\",\"a\"]]"))
                    .isEqualTo("200 [{\"result\":8},{\"result\":0},{\"result\":9}]");
        }
    }

    @Test
    void ids_ofAnyBytes_arriveAsTheyAre() throws IOException {
        try (LocalServer server = server();
                RespSocket resp = new RespSocket(server.port())) {
            send(to("/incr/a%2Fb%00c%20%2B+").header("Authorization", "Bearer any"));
            post("/counters/increment", "[{\"name\": \"\\u0000\u00e9/\\ud83d\\ude00\", \"change\": 3}]");

            assertThat(resp.call("GET", "a/b\0c ++")).isEqualTo("1");
            assertThat(resp.call("GET", "\0\u00e9/\ud83d\ude00")).isEqualTo("3");
            assertThat(get("/counters/read?id=%00%C3%A9/%F0%9F%98%80"))
                    .isEqualTo("200 {\"\\u0000\u00e9/\ud83d\ude00\":3}");
            assertThat(get("/counters/read?id=%FF")).startsWith("400 ");
        }
    }

    @Test
    void password_isTheToken() throws IOException {
        try (LocalServer server = server("requirepass", "secret");
                RespSocket resp = new RespSocket(server.port())) {
            assertThat(get("/live")).isEqualTo("200 {\"state\":\"live\"}");
            assertThat(get("/health")).isEqualTo("200 {\"state\":\"ready\"}");
            assertThat(get("/incr/a")).startsWith("401 ");
            assertThat(get("/incr/a?_token=secret")).isEqualTo("200 {\"result\":1}");
            assertThat(send(to("/incr/a").header("Authorization", "Bearer secret")))
                    .isEqualTo("200 {\"result\":2}");

            resp.call("AUTH", "secret");
            resp.call("CONFIG", "SET", "requirepass", "other");

            assertThat(send(to("/incr/a").header("Authorization", "Bearer secret")))
                    .startsWith("401 ");
            assertThat(send(to("/incr/a").header("Authorization", "Bearer other")))
                    .isEqualTo("200 {\"result\":3}");
        }
    }

    @Test
    void watcher_getsPresentValuesAndChangesUntilTheServerStops() throws Exception {
        LocalServer server = server();
        try (BufferedReader events = watch("/counters/watch?prefix=likes/")) {
            assertThat(events.readLine()).isEqualTo("retry: 2000");
            assertThat(next(events)).isEqualTo("event: complete");
            assertThat(next(events)).isEqualTo("data: {}");

            post("/counters/increment", "[{\"name\": \"likes/1\", \"change\": 43}, {\"name\": \"other\"}]");
            assertThat(next(events)).isEqualTo("data: {\"name\":\"likes/1\",\"value\":43}");
            post("/", "[\"INCRBY\", \"likes/1\", \"9223372036854775000\"]");
            assertThat(next(events)).isEqualTo("data: {\"name\":\"likes/1\",\"value\":\"9223372036854775043\"}");
            post("/", "[\"DEL\", \"likes/1\"]");
            assertThat(next(events)).isEqualTo("data: {\"name\":\"likes/1\",\"value\":null,\"deleted\":true}");
            post("/", "[\"SET\", \"likes/2\", \"text\"]");
            assertThat(next(events)).isEqualTo("data: {\"name\":\"likes/2\",\"value\":null}");

            server.close();

            assertThat(events.readLine()).isEmpty();
            assertThat(events.readLine()).isNull();
        } finally {
            server.close();
        }
    }

    private BufferedReader watch(String path) throws IOException, InterruptedException {
        var response = CLIENT.send(to(path).build(), BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type")).hasValue("text/event-stream");
        return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    /// The next line that is not empty.
    private static String next(BufferedReader events) throws IOException {
        String line = events.readLine();
        while (line != null && line.isEmpty()) {
            line = events.readLine();
        }
        return String.valueOf(line);
    }

    @Test
    void watcher_ofIds_seesWhatEachNodeContributed() throws Exception {
        try (LocalServer _ = server("name", "north");
                BufferedReader events = watch("/counters/watch?id=a&b&raw=true&type=gcount")) {
            assertThat(events.readLine()).isEqualTo("retry: 2000");
            assertThat(next(events)).isEqualTo("event: complete");
            assertThat(next(events)).isEqualTo("data: {}");

            post("/pipeline", "[[\"GCOUNT\",\"INC\",\"b\",\"5\"],[\"GCOUNT\",\"INC\",\"c\",\"5\"]]");

            assertThat(next(events)).isEqualTo("data: {\"name\":\"b\",\"value\":5,\"raw\":{\"north\":5}}");
        }
    }

    @Test
    void watching_withoutPasswordOrCounters_isRefused() {
        try (LocalServer _ = server("requirepass", "secret")) {
            assertThat(get("/counters/watch?prefix=a")).startsWith("401 ");
            assertThat(get("/counters/watch?_token=secret")).isEqualTo("400 {\"error\":\"ERR there is no id\"}");
            assertThat(get("/counters/watch?id=a&type=x&_token=secret")).startsWith("400 ");
            assertThat(post("/counters/watch?id=a&_token=secret", "")).startsWith("405 ");
        }
    }

    @Test
    void cluster_ofOneNode_isThatNode() {
        try (LocalServer server = server("name", "north")) {
            assertThat(get("/cluster"))
                    .startsWith("200 {\"cluster\":\"none\",\"nodes\":[{\"name\":\"north\",\"uuid\":\"")
                    .contains(
                            "\"client\":\"127.0.0.1:" + server.port() + "\",\"http\":\"http://127.0.0.1:" + port + "\"")
                    .endsWith("\"state\":\"ready\",\"self\":true,\"starts\":1}]}");
        }
    }

    @Test
    void clients_beyondTheMost_areProbesOnly() throws IOException {
        try (LocalServer server = server("maxclients", "1");
                RespSocket resp = new RespSocket(server.port())) {
            resp.call("PING");

            assertThat(get("/get/a")).isEqualTo("503 {\"error\":\"ERR max number of clients reached\"}");
            for (int i = 0; i < 40; i++) {
                assertThat(get("/live")).isEqualTo("200 {\"state\":\"live\"}");
            }
            assertThat(get("/health")).isEqualTo("200 {\"state\":\"ready\"}");
            assertThat(get("/metrics")).startsWith("200 # HELP");
            try (RespSocket other = new RespSocket(server.port())) {
                assertThat(other.call("PING")).isEqualTo("-ERR max number of clients reached");
            }
        }
    }

    @Test
    void node_thatIsNotReady_saysWhy() {
        String[] waiting = {
            "cluster-name",
            "http",
            "cluster-stack",
            "tcp",
            "cluster-port",
            Integer.toString(freePort()),
            "cluster-seeds",
            "127.0.0.1:" + freePort()
        };
        try (LocalServer _ = server(waiting)) {
            assertThat(get("/live")).startsWith("200 ");
            assertThat(get("/health")).startsWith("503 {\"state\":\"joining\",\"error\":\"The node ");
            assertThat(get("/metrics"))
                    .startsWith("200 # HELP ")
                    .contains("\ntallis_ready 0\n", "\ntallis_node_state{state=\"joining\"} 1\n");
            assertThat(get("/get/a")).startsWith("503 {\"error\":\"LOADING The node ");
            assertThat(get("/counters/read?a")).startsWith("503 {\"error\":\"LOADING ");
            assertThat(get("/counters/watch?a")).startsWith("503 {\"error\":\"LOADING ");
            assertThat(get("/counters/watch?prefix=a")).startsWith("503 {\"error\":\"LOADING ");
            assertThat(post("/counters/increment", "[{\"name\": \"a\"}]")).startsWith("503 {\"error\":\"LOADING ");
            assertThat(post("/multi-exec", "[[\"INCR\",\"a\"]]")).startsWith("503 {\"error\":\"LOADING ");
            assertThat(get("/echo/a")).startsWith("200 ");
        }
    }

    @Test
    void increments_thatWereAnswered_surviveAKill() {
        int answered = 0;
        try (ServerProcess server = ServerProcess.start(dir, "--http-port", String.valueOf(port))) {
            for (int i = 0; i < 200; i++) {
                String answer = post("/counters/increment", "[{\"name\": \"a\"}, {\"name\": \"b\", \"change\": 2}]");
                assertThat(answer).startsWith("200 ");
                answered++;
            }
            server.kill();
        }
        try (ServerProcess _ = ServerProcess.start(dir, "--http-port", String.valueOf(port))) {
            assertThat(get("/counters/read?a&b")).isEqualTo("200 {\"a\":" + answered + ",\"b\":" + 2 * answered + "}");
            assertThat(get("/health")).isEqualTo("200 {\"state\":\"ready\"}");
        }
    }

    @Test
    void shutdown_endsTheServer() {
        try (ServerProcess server = ServerProcess.start(dir, "--http-port", String.valueOf(port))) {
            String answer = post("/", "[\"SHUTDOWN\"]");

            assertThat(answer).doesNotStartWith("200");
            assertThat(server.awaitExit()).isZero();
        }
    }

    @Test
    void bodies_thatAreLong_areTakenUpToTheLimit() {
        try (LocalServer _ = server("client-query-buffer-limit", "1mb")) {
            String word = "[\"ECHO\", \"" + "x".repeat(400_000) + "\"]";

            assertThat(post("/", word)).hasSize("200 {\"result\":\"\"}".length() + 400_000);
            assertThat(post("/", "[\"ECHO\", \"" + "x".repeat(600_000) + "\"]"))
                    .satisfiesAnyOf(
                            answer -> assertThat(answer).startsWith("413 "),
                            // The client may notice the end of the connection while it sends, before it reads.
                            answer -> assertThat(answer).endsWith("Exception"));
            String many = "[" + "[\"INCR\",\"a\"],".repeat(15_000) + "[\"INCR\",\"a\"]]";
            assertThat(post("/pipeline", many))
                    .startsWith("200 [{\"result\":1}")
                    .endsWith("{\"result\":15001}]");
        }
    }
}
