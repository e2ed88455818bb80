package io.tallis.http;

import io.netty.handler.codec.http.HttpResponseStatus;

/// A request that is not carried out, and the error that the client gets.
final class HttpRefusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient HttpResponseStatus status;
    private final String allowed;

    HttpRefusal(HttpResponseStatus status, String text) {
        this(status, text, "");
    }

    private HttpRefusal(HttpResponseStatus status, String text, String allowed) {
        super(text, null, false, false);
        this.status = status;
        this.allowed = allowed;
    }

    static HttpRefusal badRequest(String text) {
        return new HttpRefusal(HttpResponseStatus.BAD_REQUEST, text);
    }

    static HttpRefusal tooLarge(String text) {
        return new HttpRefusal(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, text);
    }

    /// A path that has only these methods, in the form of the header `Allow`.
    static HttpRefusal methodNotAllowed(String allowed) {
        return new HttpRefusal(
                HttpResponseStatus.METHOD_NOT_ALLOWED, "ERR the methods of this path are: " + allowed, allowed);
    }

    Response response() {
        return Response.error(status, String.valueOf(getMessage())).allowing(allowed);
    }
}
