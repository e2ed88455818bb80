package io.tallis.resp.socket;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import java.nio.channels.ClosedChannelException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Describes for operators why a connection broke.
public final class CloseReason {
    /// The end of both sentences with which the JDK reports a TLS alert of the client.
    private static final Pattern ALERT = Pattern.compile("[Aa]lert: (\\w+)$");

    /// The alerts about a certificate.
    private static final Set<String> ABOUT_CERTIFICATES = Set.of(
            "bad_certificate",
            "unsupported_certificate",
            "certificate_revoked",
            "certificate_expired",
            "certificate_unknown",
            "unknown_ca");

    /// A message of the JDK whose cause has the information.
    private static final String UNINFORMATIVE = "Unexpected exception";

    private CloseReason() {}

    /// The first cause with information. Failures of TLS are wrapped by Netty and sometimes by the JDK too.
    public static String of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = message(cause);
            if (message != null) {
                return message;
            }
        }
        return failure.toString();
    }

    private static @Nullable String message(Throwable cause) {
        if (cause instanceof ClosedChannelException) {
            return "the client closed the connection";
        }
        if (cause instanceof NotSslRecordException) {
            // Not the message, which quotes what the client sent: it may be a password.
            return "the client does not use TLS";
        }
        String message = cause.getMessage();
        boolean isWrapper = cause instanceof DecoderException && cause.getCause() != null;
        if (message == null || message.equals(UNINFORMATIVE) || isWrapper) {
            return null;
        }
        return translated(message);
    }

    private static String translated(String message) {
        Matcher alert = ALERT.matcher(message);
        if (!alert.find()) {
            return message;
        }
        String name = alert.group(1);
        String what = ABOUT_CERTIFICATES.contains(name)
                ? "the client rejects this server's certificate"
                : "the client ended the TLS session";
        return what + " (alert " + name + ")";
    }
}
