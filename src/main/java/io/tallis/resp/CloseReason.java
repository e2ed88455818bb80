package io.tallis.resp;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import java.nio.channels.ClosedChannelException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Why a connection broke, in words for the operator.
final class CloseReason {
    /// Both sentences in which the JDK reports what the other side of TLS said end so.
    private static final Pattern ALERT = Pattern.compile("[Aa]lert: (\\w+)$");

    /// What a client says of a certificate that it does not like.
    private static final Set<String> ABOUT_CERTIFICATES = Set.of(
            "bad_certificate",
            "unsupported_certificate",
            "certificate_revoked",
            "certificate_expired",
            "certificate_unknown",
            "unknown_ca");

    /// The JDK says so where only the cause tells more.
    private static final String EMPTY_WORDS = "Unexpected exception";

    private CloseReason() {}

    /// The first cause that says something; what TLS met is wrapped, once by us and sometimes by the JDK too.
    static String of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String words = words(cause);
            if (words != null) {
                return words;
            }
        }
        return failure.toString();
    }

    private static @Nullable String words(Throwable cause) {
        if (cause instanceof ClosedChannelException) {
            return "the client has gone";
        }
        if (cause instanceof NotSslRecordException) {
            // What it did say may be a password.
            return "it does not speak TLS";
        }
        String message = cause.getMessage();
        boolean isWrapper = cause instanceof DecoderException && cause.getCause() != null;
        if (message == null || message.equals(EMPTY_WORDS) || isWrapper) {
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
                ? "the client does not accept this server's certificate"
                : "the client gives up TLS";
        return what + " (alert " + name + ")";
    }
}
