package io.tallis.resp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.resp.socket.RespSettings;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// TLS beside the plain port, with a certificate made by the JDK's keytool.
@Timeout(60)
final class TlsIT {
    private static final char[] PASSWORD = "secret".toCharArray();

    @TempDir
    private Path directory;

    private KeyStore keys;
    private String certificate;
    private String key;

    @BeforeEach
    void makeCertificate() throws Exception {
        Path store = directory.resolve("keys.p12");
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        Process process = new ProcessBuilder(
                        keytool.toString(),
                        "-genkeypair",
                        "-alias",
                        "tallis",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        store.toString())
                .inheritIO()
                .start();
        assertThat(process.waitFor()).isZero();
        keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        certificate = pem("CERTIFICATE", keys.getCertificate("tallis").getEncoded());
        key = pem("PRIVATE KEY", keys.getKey("tallis", PASSWORD).getEncoded());
    }

    @Test
    void requests_overTls_areAnswered() throws Exception {
        int port = freePort();
        try (TestServer server = new TestServer(settings(port, false));
                RespSocket secret = connect(port, false);
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
        int port = freePort();
        try (TestServer server = new TestServer(settings(port, false));
                SSLSocket socket = (SSLSocket) socket(port, false);
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
        int port = freePort();
        try (TestServer server = new TestServer(settings(port, false));
                RespSocket plain = RespSocket.connect(port)) {
            plain.send("PING\r\n");

            assertThat(plain.rest()).doesNotContain("PONG");
            assertThat(server.handled).hasValue(0);
        }
    }

    @Test
    void clientWithoutARequiredCertificate_isNotServed() throws Exception {
        int port = freePort();
        try (TestServer server = new TestServer(settings(port, true));
                RespSocket known = connect(port, true);
                RespSocket unknown = connect(port, false)) {
            known.send("PING\r\n").expect("+PONG\r\n");

            assertThatThrownBy(() -> unknown.send("PING\r\n").expect("+PONG\r\n"))
                    .isInstanceOfAny(IOException.class, AssertionError.class);
            assertThat(server.handled).hasValue(1);
        }
    }

    @Test
    void start_withoutAKey_saysWhatIsMissing() {
        RespSettings settings =
                new RespSettings(List.of("127.0.0.1"), 0, 511, 1, "auto", 1, certificate, "", "", false);

        assertThatThrownBy(() -> new TestServer(settings))
                .isInstanceOf(IOException.class)
                .hasMessage("tls-port needs tls-key-file");
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
            String otherKey = pem("OTHER PRIVATE KEY", other);
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
        assertThatThrownBy(() -> new TestServer(settings(1, damaged.toString(), key, false)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "tls-cert-file " + damaged + " has a certificate that cannot be read, expected X.509: ");
    }

    @Test
    void start_withAFileThatHasNoAuthority_namesIt() {
        RespSettings settings =
                new RespSettings(List.of("127.0.0.1"), 0, 511, 1, "auto", 1, certificate, key, key, true);

        assertThatThrownBy(() -> new TestServer(settings))
                .isInstanceOf(IOException.class)
                .hasMessage("tls-ca-cert-file " + key + " has no certificate, expected -----BEGIN CERTIFICATE-----");
    }

    @Test
    void server_withoutAPlainPort_speaksTlsOnly() throws Exception {
        int port = freePort();
        var settings = new RespSettings(
                List.of("127.0.0.1"), RespSettings.NO_PORT, 511, 1, "auto", port, certificate, key, "", false);
        try (TestServer server = new TestServer(settings);
                RespSocket secret = connect(port, false)) {
            secret.send("PING\r\n").expect("+PONG\r\n");

            assertThat(server.port()).isZero();
        }
    }

    private void assertRefused(String certificateFile, String keyFile, String reason) {
        assertThatThrownBy(() -> new TestServer(settings(1, certificateFile, keyFile, false)))
                .isInstanceOf(IOException.class)
                .hasMessage(reason);
    }

    private RespSettings settings(int tlsPort, String certificateFile, String keyFile, boolean authClients) {
        return new RespSettings(
                List.of("127.0.0.1"), 0, 511, 1, "auto", tlsPort, certificateFile, keyFile, certificate, authClients);
    }

    private RespSettings settings(int tlsPort, boolean authClients) {
        return settings(tlsPort, certificate, key, authClients);
    }

    private RespSocket connect(int port, boolean withCertificate) throws IOException, GeneralSecurityException {
        return new RespSocket(socket(port, withCertificate));
    }

    private Socket socket(int port, boolean withCertificate) throws IOException, GeneralSecurityException {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(keys);
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(withCertificate ? own.getKeyManagers() : null, trust.getTrustManagers(), null);
        return context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
    }

    private String pem(String type, byte[] encoded) throws IOException {
        String body = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(encoded);
        Path file = directory.resolve(type.replace(' ', '-') + ".pem");
        Files.writeString(file, "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
        return file.toString();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
