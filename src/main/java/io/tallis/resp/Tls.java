package io.tallis.resp;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.io.IOException;
import javax.net.ssl.SSLException;

/// TLS as the settings say, by the JDK's implementation: TLS 1.2 and 1.3.
final class Tls {
    private Tls() {}

    /// Reads certificate (with its chain) and key (PKCS #8), both PEM. Clients need a certificate of the given
    /// authority when they are to authenticate.
    static SslContext open(RespSettings settings) throws IOException {
        File certificate = readable("tls-cert-file", settings.tlsCertFile());
        File key = readable("tls-key-file", settings.tlsKeyFile());
        boolean hasAuthority = !settings.tlsCaCertFile().isEmpty();
        File authority = hasAuthority || settings.tlsAuthClients()
                ? readable("tls-ca-cert-file", settings.tlsCaCertFile())
                : null;
        try {
            return SslContextBuilder.forServer(certificate, key)
                    .sslProvider(SslProvider.JDK)
                    .trustManager(authority)
                    .clientAuth(settings.tlsAuthClients() ? ClientAuth.REQUIRE : ClientAuth.NONE)
                    .build();
        } catch (IllegalArgumentException | SSLException e) {
            throw new IOException(
                    "TLS cannot start with tls-cert-file " + certificate + " and tls-key-file " + key + ": "
                            + e.getMessage(),
                    e);
        }
    }

    private static File readable(String setting, String name) throws IOException {
        if (name.isEmpty()) {
            throw new IOException("tls-port needs " + setting);
        }
        File file = new File(name);
        if (!file.canRead()) {
            throw new IOException(setting + " " + name + " cannot be read");
        }
        return file;
    }
}
