package io.tallis.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.resp.socket.RespSettings;
import io.tallis.resp.socket.Tls;
import io.tallis.resp.socket.TlsSettings;
import io.tallis.testing.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// TLS beside the plain port.
@Timeout(60)
final class TlsIT {
    @TempDir
    private Path directory;

    private TestCertificate own;
    private String certificate;
    private String key;

    @BeforeEach
    void makeCertificate() throws Exception {
        own = TestCertificate.in(directory, "localhost");
        certificate = own.certFile();
        key = own.keyFile();
    }

    @Test
    void requests_overTls_areAnswered() throws Exception {
        try (TestServer server = new TestServer();
                RespSocket secret = connect(server.listen(tls(false)), false);
                RespSocket plain = server.connect()) {
            secret.send("PING\r\nADD x\r\nBIG 200000\r\n").expect("+PONG\r\n:1\r\n$200000\r\n");
            secret.skip(200_002);
            plain.send("ADD x\r\n").expect(":2\r\n");
            secret.send("QUIT\r\n");

            assertThat(secret.rest()).isEqualTo("+OK\r\n");
        }
    }

    @Test
    void client_thatRenegotiates_isDisconnected() throws Exception {
        try (TestServer server = new TestServer();
                SSLSocket socket = socket(server.listen(tls(false)), false);
                RespSocket client = old(socket)) {
            client.send("PING\r\n").expect("+PONG\r\n");

            assertThatThrownBy(() -> {
                        socket.startHandshake();
                        client.send("PING\r\n").expect("+PONG\r\n");
                    })
                    .isInstanceOfAny(IOException.class, AssertionError.class);
            assertThat(server.handled).hasValue(1);
        }
    }

    /// Later versions of TLS have no renegotiation.
    private static RespSocket old(SSLSocket socket) throws IOException {
        socket.setEnabledProtocols(new String[] {"TLSv1.2"});
        return new RespSocket(socket);
    }

    @Test
    void plainText_atTheTlsPort_isClosed() throws Exception {
        try (TestServer server = new TestServer();
                RespSocket plain = RespSocket.connect(server.listen(tls(false)))) {
            plain.send("PING\r\n");

            assertThat(plain.rest()).doesNotContain("PONG");
            assertThat(server.handled).hasValue(0);
        }
    }

    @Test
    void clientWithoutARequiredCertificate_isNotServed() throws Exception {
        try (TestServer server = new TestServer()) {
            int port = server.listen(tls(true));
            try (RespSocket known = connect(port, true);
                    RespSocket unknown = connect(port, false)) {
                known.send("PING\r\n").expect("+PONG\r\n");

                assertThatThrownBy(() -> unknown.send("PING\r\n").expect("+PONG\r\n"))
                        .isInstanceOfAny(IOException.class, AssertionError.class);
                assertThat(server.handled).hasValue(1);
            }
        }
    }

    @Test
    void filesThatAreReplaced_areForNewConnections_andExistingOnesGoOn() throws Exception {
        Tls tls = tls(false);
        try (TestServer server = new TestServer()) {
            int port = server.listen(tls);
            try (RespSocket before = connect(port, false)) {
                before.send("PING\r\n").expect("+PONG\r\n");
                TestCertificate former = own;
                own = TestCertificate.in(directory, "renewed");

                tls.refresh();

                try (RespSocket after = connect(port, false)) {
                    after.send("PING\r\n").expect("+PONG\r\n");
                    before.send("PING\r\n").expect("+PONG\r\n");
                }
                own = former;
                assertThatThrownBy(() -> connect(port, false).send("PING\r\n").expect("+PONG\r\n"))
                        .isInstanceOf(SSLHandshakeException.class);
            }
        }
    }

    @Test
    void filesThatAreBroken_areLoggedOnceAndAgainWhenTheyAreRight() throws Exception {
        Tls tls = tls(false);
        String right = Files.readString(Path.of(key));
        List<String> lines = new ArrayList<>();
        Logger logger = Logger.getLogger(Tls.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        logger.setLevel(Level.INFO);
        try {
            for (String content : List.of("", "", "", right, right, "", "")) {
                Files.writeString(Path.of(key), content);
                tls.refresh();
            }
        } finally {
            logger.setLevel(null);
            logger.removeHandler(handler);
        }

        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).startsWith("TLS goes on with the former files: ");
        assertThat(lines.get(1)).isEqualTo("TLS: the files are those in use again");
        assertThat(lines.get(2)).isEqualTo(lines.get(0));
    }

    @Test
    void filesThatAreBroken_changeNothingUntilTheyAreRight() throws Exception {
        Tls tls = tls(false);
        try (TestServer server = new TestServer()) {
            int port = server.listen(tls);
            TestCertificate former = own;
            String formerKey = Files.readString(Path.of(key));
            own = TestCertificate.in(directory, "renewed");
            String renewedKey = Files.readString(Path.of(key));
            Files.writeString(Path.of(key), formerKey);
            TestCertificate renewed = own;
            own = former;

            tls.refresh();
            try (RespSocket client = connect(port, false)) {
                client.send("PING\r\n").expect("+PONG\r\n");
            }
            Files.delete(Path.of(key));
            tls.refresh();
            try (RespSocket client = connect(port, false)) {
                client.send("PING\r\n").expect("+PONG\r\n");
            }
            Files.writeString(Path.of(key), renewedKey);
            tls.refresh();
            own = renewed;
            try (RespSocket client = connect(port, false)) {
                client.send("PING\r\n").expect("+PONG\r\n");
            }
        }
    }

    @Test
    void start_withoutAKey_saysWhatIsMissing() {
        assertThatThrownBy(() -> Tls.open(() -> new TlsSettings(certificate, "", "", false)))
                .isInstanceOf(IOException.class)
                .hasMessage("TLS needs tls-key-file");
    }

    @Test
    void start_withAFileThatHasNoKey_saysWhatIsNeeded() throws IOException {
        assertRefused(
                certificate,
                certificate,
                "tls-key-file " + certificate + " has no private key in PKCS #8 without a passphrase,"
                        + " expected -----BEGIN PRIVATE KEY-----; 'openssl pkcs8 -topk8 -nocrypt' converts other formats");
        String old = Files.readString(Path.of(key)).replace("PRIVATE KEY", "EC PRIVATE KEY");
        Path oldKey = Files.writeString(directory.resolve("old.pem"), old);
        assertRefused(
                certificate,
                oldKey.toString(),
                "tls-key-file " + oldKey + " has no private key in PKCS #8 without a passphrase,"
                        + " expected -----BEGIN PRIVATE KEY-----; 'openssl pkcs8 -topk8 -nocrypt' converts other formats");
    }

    @Test
    void start_withTheKeyOfAnotherCertificate_saysSo() throws Exception {
        for (String algorithm : List.of("EC", "RSA")) {
            byte[] other = KeyPairGenerator.getInstance(algorithm)
                    .generateKeyPair()
                    .getPrivate()
                    .getEncoded();
            String otherKey = TestCertificate.pem(directory, "OTHER PRIVATE KEY", other);
            Files.writeString(
                    Path.of(otherKey), Files.readString(Path.of(otherKey)).replace("OTHER ", ""));

            assertRefused(
                    certificate,
                    otherKey,
                    "tls-key-file " + otherKey + " is not the key of the certificate of CN=localhost,"
                            + " expected that of the first one in tls-cert-file");
        }
    }

    @Test
    void start_withAFileThatHasNoCertificate_saysSo() throws IOException {
        assertRefused(key, key, "tls-cert-file " + key + " has no certificate, expected -----BEGIN CERTIFICATE-----");
        assertRefused(
                "/no/such/file", key, "tls-cert-file /no/such/file cannot be read: no such file; expected a PEM file");
        Path damaged = Files.writeString(
                directory.resolve("damaged.pem"),
                Files.readString(Path.of(certificate)).replace("\nM", "\nX"));
        assertThatThrownBy(() -> Tls.check(new TlsSettings(damaged.toString(), key, "", false)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "tls-cert-file " + damaged + " has a certificate that cannot be read, expected X.509: ");
    }

    @Test
    void start_withAFileThatHasNoAuthority_namesIt() {
        assertThatThrownBy(() -> Tls.check(new TlsSettings(certificate, key, key, true)))
                .isInstanceOf(IOException.class)
                .hasMessage("tls-ca-cert-file " + key + " has no certificate, expected -----BEGIN CERTIFICATE-----");
    }

    @Test
    void server_withoutAPlainPort_speaksTlsOnly() throws Exception {
        var settings = new RespSettings(List.of("127.0.0.1"), RespSettings.NO_PORT, 511, 1, "auto");
        try (TestServer server = new TestServer(settings);
                RespSocket secret = connect(server.listen(tls(false)), false)) {
            secret.send("PING\r\n").expect("+PONG\r\n");

            assertThat(server.port()).isZero();
        }
    }

    private static void assertRefused(String certificateFile, String keyFile, String reason) {
        assertThatThrownBy(() -> Tls.check(new TlsSettings(certificateFile, keyFile, "", false)))
                .isInstanceOf(IOException.class)
                .hasMessage(reason);
    }

    private Tls tls(boolean authClients) throws IOException {
        return Tls.open(() -> new TlsSettings(certificate, key, certificate, authClients));
    }

    private RespSocket connect(int port, boolean withCertificate) throws IOException, GeneralSecurityException {
        return new RespSocket(socket(port, withCertificate));
    }

    private SSLSocket socket(int port, boolean withCertificate) throws IOException, GeneralSecurityException {
        return (SSLSocket)
                own.client(withCertificate).getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
    }
}
