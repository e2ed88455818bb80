package io.tallis.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallis.testing.ClusterPorts;
import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import io.tallis.testing.TestCertificate;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// HTTPS, with the JDK's client, and certificates that are replaced while the node runs.
@Timeout(60)
final class ServerTlsIT {
    @TempDir
    private Path directory;

    private TestCertificate certificate;
    private int port;

    @BeforeEach
    void prepare() throws Exception {
        certificate = TestCertificate.in(directory, "first");
        port = ClusterPorts.free();
    }

    private LocalServer server(String authClients) {
        return LocalServer.inMemory(
                "http-tls-port",
                String.valueOf(port),
                "tls-cert-file",
                certificate.certFile(),
                "tls-key-file",
                certificate.keyFile(),
                "tls-ca-cert-file",
                certificate.certFile(),
                "tls-auth-clients",
                authClients);
    }

    private HttpClient client(TestCertificate trusted, boolean withCertificate) throws Exception {
        return HttpClient.newBuilder()
                .sslContext(trusted.client(withCertificate))
                .build();
    }

    private String get(HttpClient client, String path) throws IOException, InterruptedException {
        return client.send(to(path).build(), BodyHandlers.ofString()).body();
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + path));
    }

    @Test
    void requests_overHttps_areAnswered() throws Exception {
        String body = "[{\"name\": \"" + "k".repeat(40_000) + "\", \"change\": 2}]";
        try (var _ = server("no");
                HttpClient client = client(certificate, false)) {
            String grown = client.send(
                            to("/counters/increment")
                                    .header("Content-Type", "application/json")
                                    .POST(BodyPublishers.ofString(body))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();

            assertThat(grown).endsWith("kk\":2}");
            assertThat(get(client, "/counters?limit=10")).contains("kkkk");
        }
    }

    @Test
    void changes_areWatchedOverHttps() throws Exception {
        try (var node = server("no");
                RespSocket resp = new RespSocket(node.port());
                HttpClient client = client(certificate, false);
                InputStream body = client.send(
                                to("/counters/watch?prefix=likes/").build(), BodyHandlers.ofInputStream())
                        .body();
                var events = new BufferedReader(new InputStreamReader(body, UTF_8))) {
            assertThat(events.readLine()).isEqualTo("retry: 2000");

            resp.call("INCR", "likes/1");

            assertThat(events.lines().filter(line -> line.contains("likes/1")).findFirst())
                    .hasValue("data: {\"name\":\"likes/1\",\"value\":1}");
        }
    }

    @Test
    void clientWithoutARequiredCertificate_isNotServed() throws Exception {
        try (var _ = server("yes");
                HttpClient known = client(certificate, true);
                HttpClient unknown = client(certificate, false)) {
            assertThat(get(known, "/get/a")).isEqualTo("{\"result\":null}");
            assertThatThrownBy(() -> get(unknown, "/get/a")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void filesThatAreReplaced_areReadWithinSeconds() throws Exception {
        try (var _ = server("no");
                HttpClient before = client(certificate, false)) {
            assertThat(get(before, "/get/a")).isEqualTo("{\"result\":null}");
            certificate = TestCertificate.in(directory, "second");

            try (HttpClient after = client(certificate, false)) {
                await().atMost(Duration.ofSeconds(30))
                        .ignoreExceptions()
                        .until(() -> get(after, "/get/a").equals("{\"result\":null}"));
            }
            assertThat(get(before, "/get/a")).isEqualTo("{\"result\":null}");
        }
    }

    @Test
    void configSet_takesFilesThatFitTogether_atOnce() throws Exception {
        TestCertificate other = TestCertificate.in(Files.createDirectory(directory.resolve("other")), "other");
        try (var node = server("no");
                RespSocket resp = new RespSocket(node.port());
                HttpClient client = client(other, false)) {
            assertThat(resp.call("CONFIG", "SET", "tls-cert-file", other.certFile()))
                    .startsWith("-ERR CONFIG SET failed (possibly related to argument 'tls-cert-file') - tls-key-file ")
                    .contains("is not the key of the certificate of CN=other");
            assertThat(resp.call("CONFIG", "SET", "tls-cert-file", other.certFile(), "tls-key-file", other.keyFile()))
                    .isEqualTo("OK");

            assertThat(get(client, "/get/a")).isEqualTo("{\"result\":null}");
        }
    }

    @Test
    void configSet_withoutAPortForTls_isRefused() throws Exception {
        try (var node = LocalServer.inMemory();
                RespSocket resp = new RespSocket(node.port())) {
            assertThat(resp.call("CONFIG", "SET", "tls-cert-file", certificate.certFile()))
                    .endsWith("neither tls-port nor http-tls-port is set");
            assertThat(resp.call("CONFIG", "SET", "tls-cert-file", "")).isEqualTo("OK");
        }
    }
}
