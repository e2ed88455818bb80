package io.tallis.testing;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// A certificate for 127.0.0.1 that is its own authority, made by the JDK's keytool; it and its key are files in PEM.
public record TestCertificate(KeyStore keys, String certFile, String keyFile) {
    private static final String PASSWORD = "secret";
    private static final String ALIAS = "tallis";

    /// Writes the files to `directory`, over those of an earlier certificate.
    public static TestCertificate in(Path directory, String commonName) throws Exception {
        Path store = Files.createTempDirectory(directory, "keys").resolve("keys.p12");
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        Process process = new ProcessBuilder(
                        keytool.toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + commonName,
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        store.toString())
                .inheritIO()
                .start();
        if (process.waitFor() != 0) {
            throw new IOException("keytool failed");
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return new TestCertificate(
                keys,
                pem(directory, "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded()),
                pem(
                        directory,
                        "PRIVATE KEY",
                        keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()));
    }

    /// Writes a file in PEM, named after its type, and returns its name.
    public static String pem(Path directory, String type, byte[] encoded) throws IOException {
        String body = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(encoded);
        Path file = directory.resolve(type.replace(' ', '-') + ".pem");
        Files.writeString(file, "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
        return file.toString();
    }

    /// What a client needs that trusts this certificate, and perhaps has it as its own.
    public SSLContext client(boolean withCertificate) throws GeneralSecurityException {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(keys);
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(withCertificate ? own.getKeyManagers() : null, trust.getTrustManagers(), null);
        return context;
    }
}
