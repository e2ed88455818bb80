package io.tallis.resp.socket;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLException;

/// TLS 1.2 and 1.3 with the JDK's implementation, configured by the settings.
public final class Tls {
    static {
        // A handshake costs the server much more than the client, and before TLS 1.3 a client could request any number
        // of them without authenticating. The JDK reads this property when TLS is first used.
        System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    }

    private Tls() {}

    /// Reads the certificate chain and the key (PKCS #8), both in PEM. With `tlsAuthClients`, clients need a
    /// certificate of the given authority.
    public static SslContext open(RespSettings settings) throws IOException {
        X509Certificate[] chain =
                Pem.read("tls-cert-file", settings.tlsCertFile()).certificates();
        PrivateKey key = Pem.read("tls-key-file", settings.tlsKeyFile()).privateKeyOf(chain[0]);
        SslContextBuilder builder = SslContextBuilder.forServer(key, chain)
                .sslProvider(SslProvider.JDK)
                .clientAuth(ClientAuth.NONE);
        if (settings.tlsAuthClients()) {
            builder.trustManager(Pem.read("tls-ca-cert-file", settings.tlsCaCertFile())
                            .certificates())
                    .clientAuth(ClientAuth.REQUIRE);
        }
        try {
            return builder.build();
        } catch (IllegalArgumentException | SSLException e) {
            throw new IOException("TLS cannot start: " + e.getMessage(), e);
        }
    }
}
