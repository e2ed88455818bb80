package io.tallis.resp.socket;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.tallis.runtime.Live;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// TLS 1.2 and 1.3 with the JDK's implementation, and with the files that the settings name.
///
/// Certificates expire, and what renews them replaces the files. So they are read again now and then, and new
/// connections get what they hold; existing ones go on. Contents are compared and not times, since a file may be a
/// symbolic link to a directory that is replaced, as in Kubernetes. Files that cannot be used change nothing.
///
/// Any thread may call.
public final class Tls {
    private static final Logger LOG = System.getLogger(Tls.class.getName());

    static {
        // A handshake costs the server much more than the client, and before TLS 1.3 a client could request any number
        // of them without authenticating. The JDK reads this property when TLS is first used.
        System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    }

    private final Live<TlsSettings> settings;
    private volatile SslContext context;

    @GuardedBy("this")
    private Files files;

    /// What was wrong with the files at the last reading, and the last such text that was logged.
    @GuardedBy("this")
    private String wrong = "";

    @GuardedBy("this")
    private String logged = "";

    private Tls(Live<TlsSettings> settings, Files files) throws IOException {
        this.settings = settings;
        this.files = files;
        context = files.context();
    }

    /// Reads the certificate chain and the key (PKCS #8). An [IOException] has a message of one line for the operator.
    public static Tls open(Live<TlsSettings> settings) throws IOException {
        return new Tls(settings, Files.read(settings.now()));
    }

    /// Throws [IOException] if the files cannot be used.
    public static void check(TlsSettings settings) throws IOException {
        var _ = Files.read(settings).context();
    }

    /// The handler of a new connection.
    public SslHandler newHandler(ByteBufAllocator allocator) {
        return context.newHandler(allocator);
    }

    /// Reads the files again. What is wrong with them is logged once, and only if it is still so at the next call:
    /// certificate and key are replaced one after the other, and do not belong together for a moment.
    public synchronized void refresh() {
        String now = "";
        try {
            Files read = Files.read(settings.now());
            if (!read.equals(files)) {
                context = read.context();
                files = read;
                LOG.log(Level.INFO, "TLS: new connections get " + read.description());
            } else if (!logged.isEmpty()) {
                LOG.log(Level.INFO, "TLS: the files are those in use again");
            }
            logged = "";
        } catch (IOException unusable) {
            now = String.valueOf(unusable.getMessage());
        }
        if (!now.isEmpty() && now.equals(wrong) && !now.equals(logged)) {
            LOG.log(Level.WARNING, "TLS goes on with the former files: " + now);
            logged = now;
        }
        wrong = now;
    }

    /// The contents of the files.
    private record Files(Pem chain, Pem key, @Nullable Pem authorities) {
        static Files read(TlsSettings settings) throws IOException {
            return new Files(
                    Pem.read("tls-cert-file", settings.certFile()),
                    Pem.read("tls-key-file", settings.keyFile()),
                    settings.authClients() ? Pem.read("tls-ca-cert-file", settings.caCertFile()) : null);
        }

        /// With authorities, clients need a certificate of one of them.
        SslContext context() throws IOException {
            X509Certificate[] certificates = chain.certificates();
            PrivateKey own = key.privateKeyOf(certificates[0]);
            SslContextBuilder builder = SslContextBuilder.forServer(own, certificates)
                    .sslProvider(SslProvider.JDK)
                    .clientAuth(ClientAuth.NONE);
            if (authorities != null) {
                builder.trustManager(authorities.certificates()).clientAuth(ClientAuth.REQUIRE);
            }
            try {
                return builder.build();
            } catch (IllegalArgumentException | SSLException e) {
                throw new IOException("TLS cannot start: " + e.getMessage(), e);
            }
        }

        String description() throws IOException {
            X509Certificate own = chain.certificates()[0];
            return "the certificate of " + own.getSubjectX500Principal() + " from " + chain.file() + ", valid until "
                    + own.getNotAfter().toInstant();
        }
    }
}
