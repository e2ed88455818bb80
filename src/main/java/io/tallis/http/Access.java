package io.tallis.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.NetUtil;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Which requests are let in, as which user, and which of those may change something.
///
/// A request has the password of the default user as `Authorization: Bearer <password>` or as the parameter `_token`,
/// or name and password of another user as `Authorization: Basic`.
///
/// Without a password, any page that a person opens in a browser could send requests to this node, though it cannot
/// read the responses. So a request that changes something needs a header that a browser sends to another site only
/// after asking it, and here it gets no permission: `Authorization: Bearer`, or `Content-Type: application/json`. A
/// browser that knows a name and password sends them by itself, so `Basic` alone is not enough. And in protected mode
/// the header `Host` has to be an address or `localhost`: a page whose own host name has come to mean 127.0.0.1 would
/// need no permission.
final class Access {
    static final String TOKEN = "_token";

    private static final String DEFAULT_USER = "default";

    private static final String BEARER = "bearer ";
    private static final String BASIC = "basic ";
    private static final String JSON = "application/json";

    private Access() {}

    /// Refuses a request without the password.
    static Caller check(HttpHeaders headers, Target target, HttpLimits limits) {
        checkHost(headers, limits);
        return caller(headers, target, limits);
    }

    /// The caller of a request that is not refused, for whatever host it is.
    static Caller ofProbe(HttpHeaders headers, Target target, HttpLimits limits) {
        try {
            return caller(headers, target, limits);
        } catch (HttpRefusal _) {
            return Caller.NOBODY;
        }
    }

    private static Caller caller(HttpHeaders headers, Target target, HttpLimits limits) {
        String authorization = headers.get(HttpHeaderNames.AUTHORIZATION);
        if (authorization != null && hasScheme(authorization, BASIC)) {
            Login login = basic(authorization);
            boolean mayDoAll = verified(login, limits);
            return new Caller(isJson(headers) ? Rights.CHANGE : Rights.READ, login, mayDoAll);
        }
        if (!limits.logins().needsPassword()) {
            boolean mayDoAll = limits.logins().standing(null) == Logins.Standing.FULL;
            Rights rights = authorization != null || isJson(headers) ? Rights.CHANGE : Rights.READ;
            return new Caller(rights, null, mayDoAll);
        }
        String token = authorization == null ? target.parameter(TOKEN) : bearer(authorization);
        if (token == null) {
            throw new HttpRefusal(HttpResponseStatus.UNAUTHORIZED, "NOAUTH Authentication required.");
        }
        Login login = new Login(DEFAULT_USER, token);
        return new Caller(Rights.CHANGE, login, verified(login, limits));
    }

    /// Returns whether the user may do everything. Refuses a wrong password.
    private static boolean verified(Login login, HttpLimits limits) {
        Logins.Standing standing = limits.logins().standing(login);
        if (standing == Logins.Standing.UNKNOWN) {
            throw new HttpRefusal(
                    HttpResponseStatus.UNAUTHORIZED, "WRONGPASS invalid username-password pair or user is disabled.");
        }
        return standing == Logins.Standing.FULL;
    }

    private static boolean hasScheme(String authorization, String scheme) {
        return authorization.regionMatches(true, 0, scheme, 0, scheme.length());
    }

    /// A header has the bytes of the client, one in each character.
    private static @Nullable String bearer(String authorization) {
        return hasScheme(authorization, BEARER)
                ? authorization.substring(BEARER.length()).strip()
                : null;
    }

    private static Login basic(String authorization) {
        try {
            byte[] bytes = Base64.getDecoder()
                    .decode(authorization.substring(BASIC.length()).strip());
            String pair = new String(bytes, StandardCharsets.ISO_8859_1);
            int colon = pair.indexOf(':');
            if (colon >= 0) {
                return new Login(pair.substring(0, colon), pair.substring(colon + 1));
            }
        } catch (IllegalArgumentException _) {
            // Refused below.
        }
        throw HttpRefusal.badRequest("ERR Authorization: Basic has no name and password in Base64");
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
        if (limits.logins().needsPassword() || !limits.protectedMode()) {
            return;
        }
        String host = withoutPort(headers.get(HttpHeaderNames.HOST, "localhost"));
        boolean isAddress = NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host);
        if (!isAddress && !host.equalsIgnoreCase("localhost")) {
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
