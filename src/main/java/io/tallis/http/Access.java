package io.tallis.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.NetUtil;
import io.tallis.runtime.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Which requests are let in, and which of those may change something.
///
/// With a password, a request has it as `Authorization: Bearer <password>` or as the parameter `_token`.
///
/// Without one, any page that a person opens in a browser could send requests to this node, though it cannot read the
/// responses. So a request that changes something needs a header that a browser sends to another site only after asking
/// it, and here it gets no permission: `Authorization`, or `Content-Type: application/json`. And in protected mode the
/// header `Host` has to be an address or `localhost`: a page whose own host name has come to mean 127.0.0.1 would need
/// no permission.
final class Access {
    static final String TOKEN = "_token";

    private static final String BEARER = "bearer ";
    private static final String JSON = "application/json";

    private Access() {}

    /// Refuses a request without the password.
    static Rights check(HttpHeaders headers, Target target, HttpLimits limits) {
        checkHost(headers, limits);
        return rights(headers, target, limits);
    }

    /// The rights of a request that is not refused, for whatever host it is.
    static Rights ofProbe(HttpHeaders headers, Target target, HttpLimits limits) {
        try {
            return rights(headers, target, limits);
        } catch (HttpRefusal _) {
            return Rights.NONE;
        }
    }

    private static Rights rights(HttpHeaders headers, Target target, HttpLimits limits) {
        String authorization = headers.get(HttpHeaderNames.AUTHORIZATION);
        if (limits.password().isEmpty()) {
            return authorization != null || isJson(headers) ? Rights.CHANGE : Rights.READ;
        }
        String token = authorization == null ? target.parameter(TOKEN) : bearer(authorization);
        if (token == null) {
            throw new HttpRefusal(HttpResponseStatus.UNAUTHORIZED, "NOAUTH Authentication required.");
        }
        if (!isPassword(Target.bytes(token), limits.password())) {
            throw new HttpRefusal(
                    HttpResponseStatus.UNAUTHORIZED, "WRONGPASS invalid username-password pair or user is disabled.");
        }
        return Rights.CHANGE;
    }

    /// A header has the bytes of the client, one in each character.
    private static @Nullable String bearer(String authorization) {
        return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? authorization.substring(BEARER.length()).strip()
                : null;
    }

    /// Compares digests, so that the time taken reveals neither the length of the password nor a common prefix.
    private static boolean isPassword(byte[] token, String password) {
        return MessageDigest.isEqual(Sha256.of(token), Sha256.of(password.getBytes(StandardCharsets.UTF_8)));
    }

    private static boolean isJson(HttpHeaders headers) {
        String type = headers.get(HttpHeaderNames.CONTENT_TYPE, "");
        int end = type.indexOf(';');
        return (end < 0 ? type : type.substring(0, end))
                .strip()
                .toLowerCase(Locale.ROOT)
                .equals(JSON);
    }

    /// Refuses a URL with the name of another site, which a browser may have been made to believe.
    static void checkHost(HttpHeaders headers, HttpLimits limits) {
        String host = withoutPort(headers.get(HttpHeaderNames.HOST, "localhost"));
        boolean isAddress = NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host);
        if (limits.password().isEmpty()
                && limits.protectedMode()
                && !isAddress
                && !host.equalsIgnoreCase("localhost")) {
            throw new HttpRefusal(
                    HttpResponseStatus.FORBIDDEN,
                    "DENIED in protected mode the host of a URL is an address or localhost; set a password"
                            + " (requirepass) to allow other names");
        }
    }

    private static String withoutPort(String host) {
        int colon = host.lastIndexOf(':');
        boolean hasPort = colon >= 0 && host.indexOf(']', colon) < 0;
        return hasPort ? host.substring(0, colon) : host;
    }
}
