package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.CommandType;
import io.tallis.config.ConfigLoader;
import io.tallis.testing.ClusterPorts;
import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import io.tallis.testing.TestCertificate;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Users of whole nodes: with a real client, in files, over TLS and HTTP.
@Timeout(60)
final class AclIT {
    @TempDir
    Path dir;

    @Test
    void userOfLettuce_mayDoWhatItsRulesAllow() throws IOException {
        try (LocalServer server = LocalServer.inMemory();
                RedisClient client = RedisClient.create();
                StatefulRedisConnection<String, String> admin = client.connect(RedisURI.create(server.uri()))) {
            AclSetuserArgs rules = AclSetuserArgs.Builder.on()
                    .addPassword("pw")
                    .keyPattern("visits:*")
                    .addCommand(CommandType.INCRBY)
                    .addCommand(CommandType.GET);
            admin.sync().aclSetuser("web", rules);
            RedisURI uri = RedisURI.Builder.redis("127.0.0.1", server.port())
                    .withAuthentication("web", "pw")
                    .build();
            try (StatefulRedisConnection<String, String> user = client.connect(uri)) {
                RedisCommands<String, String> web = user.sync();

                assertThat(web.incrby("visits:1", 5)).isEqualTo(5);
                assertThatThrownBy(() -> web.incrby("other", 1))
                        .isInstanceOf(RedisCommandExecutionException.class)
                        .hasMessageStartingWith("NOPERM");
                assertThatThrownBy(() -> web.del("visits:1")).hasMessageContaining("'del'");
                assertThat(admin.sync().clientList()).contains(" user=web ").contains(" user=default ");
                assertThat(admin.sync().aclLog().getFirst()).containsEntry("username", "web");
                assertThat(admin.sync().aclGetuser("web")).contains("commands");
                assertThat(admin.sync().aclList()).hasSize(2);
            }
            RedisURI wrong = RedisURI.Builder.redis("127.0.0.1", server.port())
                    .withAuthentication("web", "wrong")
                    .build();
            // The cause that Lettuce gives depends on which of its threads is first.
            assertThatThrownBy(() -> client.connect(wrong)).isInstanceOf(RedisConnectionException.class);
            try (RespSocket plain = new RespSocket(server.port())) {
                assertThat(plain.call("AUTH", "web", "wrong")).startsWith("-WRONGPASS");
            }
        }
    }

    @Test
    void openConnection_ofADeletedUser_isClosed() throws IOException {
        try (LocalServer server = LocalServer.inMemory();
                RespSocket admin = new RespSocket(server.port());
                RespSocket user = new RespSocket(server.port());
                RespSocket subscriber = new RespSocket(server.port())) {
            admin.call("ACL", "SETUSER", "u", "on", "nopass", "+ping", "+subscribe", "&a");
            user.call("AUTH", "u", "x");
            subscriber.call("AUTH", "u", "x");
            subscriber.call("SUBSCRIBE", "a");

            admin.call("ACL", "SETUSER", "u", "resetchannels");
            assertThatThrownBy(subscriber::read).isInstanceOf(EOFException.class);
            assertThat(user.call("PING")).isEqualTo("PONG");

            admin.call("ACL", "DELUSER", "u");
            assertThatThrownBy(user::read).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void userThatDeletesItself_getsTheReply() throws IOException {
        try (LocalServer server = LocalServer.inMemory();
                RespSocket user = new RespSocket(server.port())) {
            user.call("ACL", "SETUSER", "u", "on", "nopass", "+@all");
            user.call("AUTH", "u", "x");

            assertThat(user.call("ACL", "DELUSER", "u")).isEqualTo("1");
            assertThatThrownBy(user::read).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void usersInAFile_areThereAfterARestart() throws IOException {
        Path file = dir.resolve("users.acl");
        Files.writeString(file, "user a on nopass ~* +@all\n");
        String[] settings = {"aclfile", file.toString(), "requirepass", "hush"};
        try (LocalServer server = LocalServer.inMemory(settings);
                RespSocket a = new RespSocket(server.port())) {
            assertThat(a.call("PING")).startsWith("-NOAUTH");
            a.call("AUTH", "a", "x");
            a.call("ACL", "SETUSER", "b", "on", ">pw", "~b*", "+get");
            assertThat(a.call("ACL", "SAVE")).isEqualTo("OK");
            a.call("ACL", "DELUSER", "b");
            assertThat(a.call("ACL", "LOAD")).isEqualTo("OK");
            assertThat(a.call("ACL", "USERS")).isEqualTo("[a, b, default]");
            Files.writeString(file, "user a on nopass +@all\nuser c +nosuch\n");
            assertThat(a.call("ACL", "LOAD"))
                    .startsWith("-ERR " + file + ":2: Unknown command or category name in ACL")
                    .endsWith("no change to the previously active ACL rules was performed");
            assertThat(a.call("ACL", "SAVE")).isEqualTo("OK");
        }
        try (LocalServer server = LocalServer.inMemory(settings);
                RespSocket b = new RespSocket(server.port())) {
            assertThat(b.call("AUTH", "b", "pw")).isEqualTo("OK");
            assertThat(b.call("GET", "b1")).isEqualTo("(nil)");
            assertThat(b.call("GET", "a1")).startsWith("-NOPERM");
            assertThat(b.call("AUTH", "hush")).isEqualTo("OK");
        }
    }

    @Test
    void usersOfTheConfigurationFile_areRewritten() throws IOException {
        Path file = dir.resolve("tallis.conf");
        Files.writeString(file, "timeout 7\nuser a on >pw ~a* +@all -@dangerous (~b* +get)\n");
        var config = ConfigLoader.load(file, Map.of(), List.of());
        UserSettings users = new UserSettings(config, NodeUsers.none());

        config.rewrite(users.linesOfConfiguration());
        var again = ConfigLoader.load(file, Map.of(), List.of());
        UserSettings same = new UserSettings(again, NodeUsers.none());

        assertThat(Files.readString(file))
                .startsWith("timeout 7\nuser a on #30c952fa")
                .contains("user default on nopass");
        assertThat(same.linesOfConfiguration()).isEqualTo(users.linesOfConfiguration());
    }

    @Test
    void start_withUsersThatAreNotValid_isRefused() throws IOException {
        Path wrong = Files.writeString(dir.resolve("wrong"), "user a on\nuser b +nosuch\n");
        Path conf = Files.writeString(dir.resolve("conf"), "user b +nosuch\n");
        Path both = Files.writeString(dir.resolve("both"), "user b on\naclfile " + wrong + "\n");

        assertThatThrownBy(() -> LocalServer.inMemory("aclfile", wrong.toString()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining(wrong + ":2: Unknown command");
        assertThatThrownBy(() ->
                        LocalServer.inMemory("aclfile", dir.resolve("none").toString()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("cannot read the aclfile");
        assertThatThrownBy(() -> new UserSettings(ConfigLoader.load(conf, Map.of(), List.of()), NodeUsers.none()))
                .hasMessageContaining(conf + " line 1: Unknown command");
        assertThatThrownBy(() -> new UserSettings(ConfigLoader.load(both, Map.of(), List.of()), NodeUsers.none()))
                .hasMessageContaining("define users in one of them");
    }

    @Test
    void requirepass_andTheDefaultUser_stayInStep() throws IOException {
        try (LocalServer server = LocalServer.inMemory();
                RespSocket admin = new RespSocket(server.port());
                RespSocket other = new RespSocket(server.port())) {
            admin.call("CONFIG", "SET", "requirepass", "one");
            assertThat(other.call("AUTH", "default", "one")).isEqualTo("OK");
            admin.call("ACL", "SETUSER", "default", ">two");
            assertThat(admin.call("CONFIG", "GET", "requirepass")).isEqualTo("[requirepass, one]");

            admin.call("ACL", "SETUSER", "default", "<one");

            assertThat(admin.call("CONFIG", "GET", "requirepass")).isEqualTo("[requirepass, ]");
            assertThat(other.call("AUTH", "one")).startsWith("-WRONGPASS");
            assertThat(other.call("AUTH", "two")).isEqualTo("OK");
            try (RespSocket fresh = new RespSocket(server.port())) {
                assertThat(fresh.call("PING")).startsWith("-NOAUTH");
                admin.call("CONFIG", "SET", "requirepass", "");
                assertThat(fresh.call("PING")).isEqualTo("PONG");
            }
        }
    }

    @Test
    void certificate_withTheNameOfAUser_authenticates() throws Exception {
        TestCertificate certificate = TestCertificate.in(dir, "node");
        int port = ClusterPorts.free();
        try (LocalServer server = LocalServer.inMemory(
                        "port", Integer.toString(ClusterPorts.free()),
                        "tls-port", Integer.toString(port),
                        "tls-cert-file", certificate.certFile(),
                        "tls-key-file", certificate.keyFile(),
                        "tls-ca-cert-file", certificate.certFile(),
                        "tls-auth-clients-user", "CN",
                        "requirepass", "hush");
                RespSocket admin = new RespSocket(server.port())) {
            admin.call("AUTH", "hush");
            assertThat(whoAmI(certificate, port)).startsWith("-NOAUTH");

            admin.call("ACL", "SETUSER", "node", "on", "+acl|whoami");
            assertThat(whoAmI(certificate, port)).contains("node");

            admin.call("CONFIG", "SET", "tls-auth-clients-user", "off");
            assertThat(whoAmI(certificate, port)).startsWith("-NOAUTH");
            assertThat(admin.call("ACL", "LOG")).contains("reason, tls-cert, ").contains("username, node");
        }
    }

    private static String whoAmI(TestCertificate certificate, int port) throws Exception {
        try (Socket socket = certificate.client(true).getSocketFactory().createSocket("127.0.0.1", port)) {
            socket.getOutputStream().write("ACL WHOAMI\r\nQUIT\r\n".getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void usersOverHttp_haveTheirRights() throws Exception {
        int port = ClusterPorts.free();
        try (LocalServer server = LocalServer.inMemory("http-port", Integer.toString(port));
                RespSocket admin = new RespSocket(server.port());
                HttpClient client = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .build()) {
            admin.call("ACL", "SETUSER", "u", "on", ">pw", "~a*", "+incr", "+get", "+pncount|get", "+multi", "+exec");
            admin.call("SET", "b", "7");
            Http http = new Http(client, port);

            assertThat(http.get("/get/b", "")).isEqualTo("200 {\"result\":\"7\"}");
            assertThat(http.get("/get/b", "u:pw")).startsWith("403 {\"error\":\"NOPERM");
            assertThat(http.get("/get/b", "")).isEqualTo("200 {\"result\":\"7\"}");
            assertThat(http.get("/get/a", "u:pw")).isEqualTo("200 {\"result\":null}");
            assertThat(http.get("/get/a", "u:wrong")).startsWith("401");
            assertThat(http.get("/get/a", "nobody:pw")).startsWith("401");
            assertThat(http.get("/incr/a", "u:pw")).startsWith("415");
            assertThat(http.post("/", "[\"INCR\",\"a\"]", "u:pw")).isEqualTo("200 {\"result\":1}");
            assertThat(http.post("/", "[\"INCR\",\"b\"]", "u:pw")).contains("NOPERM");
            assertThat(http.post("/multi-exec", "[[\"INCR\",\"a\"],[\"INCR\",\"b\"]]", "u:pw"))
                    .contains("NOPERM");
            assertThat(http.get("/metrics", "u:pw")).startsWith("403");
            assertThat(http.get("/cluster", "u:pw")).startsWith("403");
            assertThat(http.get("/counters/watch?id=a", "u:pw")).startsWith("403");
            assertThat(http.get("/counters/read?id=a", "u:pw")).contains("NOPERM");
            assertThat(http.get("/metrics", "")).startsWith("200");

            admin.call("ACL", "SETUSER", "default", "-@dangerous", "+acl", "+config");
            assertThat(http.get("/metrics", "")).startsWith("403");
            assertThat(http.post("/", "[\"KEYS\",\"*\"]", "")).contains("NOPERM");
            admin.call("CONFIG", "SET", "requirepass", "hush");
            assertThat(http.get("/get/b", "")).startsWith("401");
            assertThat(http.get("/get/a", "u:pw")).isEqualTo("200 {\"result\":\"1\"}");
            assertThat(http.get("/get/b", "default:hush")).isEqualTo("200 {\"result\":\"7\"}");
        }
    }

    @Test
    void stream_ofAUserThatIsRestricted_ends() throws Exception {
        int port = ClusterPorts.free();
        try (LocalServer server = LocalServer.inMemory("http-port", Integer.toString(port));
                RespSocket admin = new RespSocket(server.port());
                RespSocket stream = new RespSocket(port)) {
            admin.call("ACL", "SETUSER", "u", "on", ">pw", "~*", "&*", "+@all");
            stream.sendRaw("GET /counters/watch?id=a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic "
                    + basic("u:pw") + "\r\n\r\n");
            await().until(() -> admin.call("CLIENT", "LIST").contains(" user=u "));

            admin.call("ACL", "SETUSER", "u", "resetkeys", "~b");

            await().until(() -> !admin.call("CLIENT", "LIST").contains(" user=u "));
        }
    }

    private static String basic(String login) {
        return Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8));
    }

    private record Http(HttpClient client, int port) {
        String get(String path, String login) throws IOException, InterruptedException {
            return send(to(path, login));
        }

        String post(String path, String json, String login) throws IOException, InterruptedException {
            return send(
                    to(path, login).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)));
        }

        private HttpRequest.Builder to(String path, String login) {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
            return login.isEmpty() ? request : request.header("Authorization", "Basic " + basic(login));
        }

        private String send(HttpRequest.Builder request) throws IOException, InterruptedException {
            var response = client.send(request.build(), BodyHandlers.ofString());
            return response.statusCode() + " " + response.body();
        }
    }
}
