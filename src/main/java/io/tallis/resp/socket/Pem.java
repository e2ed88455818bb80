package io.tallis.resp.socket;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A PEM file with certificates or a key, named by a setting. Errors are one line that names the setting and the file.
record Pem(String setting, String file, String text) {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]+)-----END \\1-----", Pattern.DOTALL);

    /// Reads the file, which TLS requires.
    static Pem read(String setting, String file) throws IOException {
        if (file.isEmpty()) {
            throw new IOException("TLS needs " + setting);
        }
        try {
            return new Pem(setting, file, Files.readString(Path.of(file), ISO_8859_1));
        } catch (IOException e) {
            throw new IOException(setting + " " + file + " cannot be read: " + reason(e) + "; expected a PEM file", e);
        }
    }

    private static String reason(IOException failure) {
        return switch (failure) {
            case NoSuchFileException _ -> "no such file";
            case AccessDeniedException _ -> "permission denied";
            default -> String.valueOf(failure.getMessage());
        };
    }

    /// All certificates. There is at least one.
    X509Certificate[] certificates() throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (byte[] block : blocks("CERTIFICATE")) {
                certificates.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block)));
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    setting + " " + file + " has a certificate that cannot be read, expected X.509: " + e.getMessage(),
                    e);
        }
        if (certificates.isEmpty()) {
            throw new IOException(setting + " " + file + " has no certificate, expected -----BEGIN CERTIFICATE-----");
        }
        return certificates.toArray(new X509Certificate[0]);
    }

    /// The private key that belongs to that certificate.
    PrivateKey privateKeyOf(X509Certificate certificate) throws IOException {
        List<byte[]> keys = blocks("PRIVATE KEY");
        if (keys.isEmpty()) {
            throw new IOException(setting + " " + file + " has no private key in PKCS #8 without a passphrase,"
                    + " expected -----BEGIN PRIVATE KEY-----; 'openssl pkcs8 -topk8 -nocrypt' converts other formats");
        }
        PublicKey other = certificate.getPublicKey();
        try {
            PrivateKey key = KeyFactory.getInstance(other.getAlgorithm())
                    .generatePrivate(new PKCS8EncodedKeySpec(keys.getFirst()));
            if (belong(key, other)) {
                return key;
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(noPair(certificate), e);
        }
        throw new IOException(noPair(certificate));
    }

    private String noPair(X509Certificate certificate) {
        return setting + " " + file + " is not the key of the certificate of " + certificate.getSubjectX500Principal()
                + ", expected that of the first one in tls-cert-file";
    }

    /// Whether the certificate verifies a signature of the key. Other algorithms than RSA, EC and EdDSA are not
    /// checked.
    private static boolean belong(PrivateKey key, PublicKey other) throws GeneralSecurityException {
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            case "EdDSA" -> "EdDSA";
            default -> "";
        };
        if (algorithm.isEmpty()) {
            return true;
        }
        Signature signer = Signature.getInstance(algorithm);
        signer.initSign(key);
        signer.update(other.getEncoded());
        Signature verifier = Signature.getInstance(algorithm);
        verifier.initVerify(other);
        verifier.update(other.getEncoded());
        return verifier.verify(signer.sign());
    }

    private List<byte[]> blocks(String type) throws IOException {
        List<byte[]> blocks = new ArrayList<>();
        Matcher block = BLOCK.matcher(text);
        try {
            while (block.find()) {
                if (block.group(1).equals(type)) {
                    blocks.add(Base64.getMimeDecoder().decode(block.group(2)));
                }
            }
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    setting + " " + file + " is damaged, expected Base64 between BEGIN and END: " + e.getMessage(), e);
        }
        return blocks;
    }
}
