package io.tallis.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.AsciiString;
import java.util.List;

/// The request line and headers of a request, checked. Nothing here changes the state of a connection.
///
/// `keepsAlive` is whether the client wants further requests on the connection, `awaitsContinue` whether it sends the
/// body only after a response 100. `caller` is what [Access] says.
record RequestHead(
        HttpMethod method,
        Target target,
        HttpHeaders headers,
        boolean hasBody,
        boolean keepsAlive,
        boolean awaitsContinue,
        Caller caller,
        boolean base64) {
    static final AsciiString ENCODING = AsciiString.cached("Upstash-Encoding");

    /// The checked head, or a refusal.
    static RequestHead of(HttpRequest request, HttpLimits limits) {
        requireDecoded(request);
        HttpHeaders headers = request.headers();
        boolean isOld = requireVersion(request.protocolVersion());
        requireHost(headers, isOld);
        Target target = Target.of(request.uri());
        Caller caller = check(request.method(), target, headers, limits);
        boolean isChunked = isChunked(headers);
        long length = HttpUtil.getContentLength(request, 0L);
        if (length > limits.mostRequestBytes()) {
            throw tooLong(limits);
        }
        if (caller.rights() == Rights.NONE && (isChunked || length > 0)) {
            throw HttpRefusal.badRequest("ERR a request without a password has no body");
        }
        if (request.method().equals(HttpMethod.POST)
                && Router.needsBody(target.path())
                && !isChunked
                && !headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
            throw new HttpRefusal(HttpResponseStatus.LENGTH_REQUIRED, "ERR the request has no Content-Length");
        }
        if (headers.contains(HttpHeaderNames.CONTENT_ENCODING)) {
            throw new HttpRefusal(
                    HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE, "ERR a body with a Content-Encoding is not accepted");
        }
        return new RequestHead(
                request.method(),
                target,
                headers,
                isChunked || length > 0,
                HttpUtil.isKeepAlive(request),
                awaitsContinue(headers, isOld),
                caller,
                headers.containsValue(ENCODING, "base64", true));
    }

    /// Refuses a request that is not let in.
    private static Caller check(HttpMethod method, Target target, HttpHeaders headers, HttpLimits limits) {
        if (Origins.isQuestion(method, headers, limits)) {
            Access.checkHost(headers, limits);
            return Caller.NOBODY;
        }
        if (Router.isProbe(target.path())) {
            return Access.ofProbe(headers, target, limits);
        }
        if (Page.isAskedFor(method, target.path())) {
            Access.checkHost(headers, limits);
            return Caller.NOBODY;
        }
        return Access.check(headers, target, limits);
    }

    private static void requireDecoded(HttpRequest request) {
        Throwable cause = request.decoderResult().cause();
        switch (cause) {
            case null -> {}
            case TooLongHttpLineException _ ->
                throw new HttpRefusal(
                        HttpResponseStatus.REQUEST_URI_TOO_LONG,
                        "ERR the request line is longer than " + StrictDecoder.LONGEST_LINE + " bytes");
            case TooLongHttpHeaderException _ ->
                throw new HttpRefusal(
                        HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                        "ERR the headers are longer than " + StrictDecoder.MOST_HEADERS + " bytes");
            default -> throw HttpRefusal.badRequest("ERR this is not HTTP/1.1: " + cause.getMessage());
        }
    }

    /// Returns whether the version is 1.0.
    private static boolean requireVersion(HttpVersion version) {
        boolean isOld = version.equals(HttpVersion.HTTP_1_0);
        if (!isOld && !version.equals(HttpVersion.HTTP_1_1)) {
            throw new HttpRefusal(
                    HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED, "ERR only HTTP/1.1 and HTTP/1.0 are spoken here");
        }
        return isOld;
    }

    private static void requireHost(HttpHeaders headers, boolean isOld) {
        int hosts = headers.getAll(HttpHeaderNames.HOST).size();
        if (hosts > 1 || (hosts == 0 && !isOld)) {
            throw HttpRefusal.badRequest("ERR a request has one header Host");
        }
    }

    /// The complete request.
    Request with(ByteBuf body) {
        return new Request(method, target, headers, body, caller, base64);
    }

    private static boolean isChunked(HttpHeaders headers) {
        List<String> encodings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (encodings.isEmpty()) {
            return false;
        }
        if (encodings.size() > 1 || !encodings.getFirst().equalsIgnoreCase("chunked")) {
            throw new HttpRefusal(
                    HttpResponseStatus.NOT_IMPLEMENTED, "ERR chunked is the only Transfer-Encoding known here");
        }
        return true;
    }

    private static boolean awaitsContinue(HttpHeaders headers, boolean isOld) {
        String expected = headers.get(HttpHeaderNames.EXPECT);
        if (expected == null || isOld) {
            return false;
        }
        if (!expected.equalsIgnoreCase("100-continue")) {
            throw new HttpRefusal(HttpResponseStatus.EXPECTATION_FAILED, "ERR only 100-continue can be expected here");
        }
        return true;
    }

    static HttpRefusal tooLong(HttpLimits limits) {
        return HttpRefusal.tooLarge("ERR the body is longer than " + limits.mostRequestBytes()
                + " bytes, half of client-query-buffer-limit");
    }
}
