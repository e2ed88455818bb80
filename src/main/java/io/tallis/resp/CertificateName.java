package io.tallis.resp;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/// The common name (CN) in the certificate of a client.
final class CertificateName {
    private CertificateName() {}

    /// The first common name of the subject; null if there is none, or no certificate that was verified.
    static @Nullable String of(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        try {
            Certificate[] chain = tls.engine().getSession().getPeerCertificates();
            return chain[0] instanceof X509Certificate own
                    ? of(own.getSubjectX500Principal().getName())
                    : null;
        } catch (SSLPeerUnverifiedException _) {
            return null;
        }
    }

    static @Nullable String of(String subject) {
        try {
            for (Rdn part : new LdapName(subject).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN") && part.getValue() instanceof String name) {
                    return name;
                }
            }
        } catch (InvalidNameException _) {
            // A name that cannot be read is no user's.
        }
        return null;
    }
}
