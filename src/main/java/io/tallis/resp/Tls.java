package io.tallis.resp;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLException;

/// TLS as the settings say, by the JDK's implementation: TLS 1.2 and 1.3.
final class Tls {
    static {
        // A handshake costs the server much and the client little, and until TLS 1.3 a client could ask for another at
        // will, before it has said who it is. Read by the JDK when its part for TLS is first used.
        System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    }

    private Tls() {}

    /// Reads certificate (with its chain) and key (PKCS #8), both PEM. Clients need a certificate of the given
    /// authority when they are to authenticate.
    static SslContext open(RespSettings settings) throws IOException {
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
