package io.tallis.http;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;

/// What a browser is told about pages of other sites (CORS): those of the origins in the setting `http-allow-origins`
/// may use this server. It asks before it sends what could change something, and shows a page no response otherwise.
final class Origins {
    private static final String ANY = "*";
    private static final String SECONDS = "600";

    private Origins() {}

    /// The origin of the page that sent a request, if it may use this server; else empty.
    static String allowed(HttpHeaders headers, HttpLimits limits) {
        String origin = headers.get(HttpHeaderNames.ORIGIN, "");
        return limits.origins().contains(origin) || limits.origins().contains(ANY) ? origin : "";
    }

    /// Whether a browser asks what a page that may use this server may send.
    static boolean isQuestion(HttpMethod method, HttpHeaders headers, HttpLimits limits) {
        return method.equals(HttpMethod.OPTIONS)
                && headers.contains(HttpHeaderNames.ACCESS_CONTROL_REQUEST_METHOD)
                && !allowed(headers, limits).isEmpty();
    }

    /// The answer: every method and header that paths here know.
    static Work answer() {
        HttpHeaders all = new DefaultHttpHeaders()
                .set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, POST, DELETE")
                .set(
                        HttpHeaderNames.ACCESS_CONTROL_ALLOW_HEADERS,
                        "authorization, content-type, " + RequestHead.ENCODING + ", upstash-telemetry-sdk,"
                                + " upstash-telemetry-platform, upstash-telemetry-runtime, upstash-sync-token")
                .set(HttpHeaderNames.ACCESS_CONTROL_MAX_AGE, SECONDS);
        return Work.answered(Response.text("text/plain", "").with(all));
    }
}
