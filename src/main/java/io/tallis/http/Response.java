package io.tallis.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.tallis.watch.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// A response before it is sent: its status, the type of its body, and that. `headers` are those besides the ones that
/// every response has, or in place of them. `closes` is set when the connection must not be used any more. With a topic
/// it is the beginning of a stream of events.
record Response(
        HttpResponseStatus status,
        String type,
        ByteBuf body,
        HttpHeaders headers,
        boolean closes,
        @Nullable Topic topic) {
    static final String JSON = "application/json";

    private static final String EVENTS = "text/event-stream";
    private static final HttpHeaders NONE = EmptyHttpHeaders.INSTANCE;

    /// Writes the JSON of a response.
    @FunctionalInterface
    interface Body {
        void writeTo(JsonGenerator out) throws IOException;
    }

    static Response of(HttpResponseStatus status, Body body) {
        return new Response(status, JSON, Unpooled.wrappedBuffer(Json.written(body)), NONE, false, null);
    }

    static Response text(String type, String text) {
        return new Response(
                HttpResponseStatus.OK, type, Unpooled.copiedBuffer(text, StandardCharsets.UTF_8), NONE, false, null);
    }

    /// Events about the topic, until the connection ends. Proxies that gather responses are asked not to.
    static Response stream(Topic topic) {
        HttpHeaders ungathered = new DefaultHttpHeaders().set("x-accel-buffering", "no");
        ByteBuf beginning = Unpooled.wrappedBuffer(EventFormat.beginning());
        return new Response(HttpResponseStatus.OK, EVENTS, beginning, ungathered, true, topic);
    }

    static Response ok(Body body) {
        return of(HttpResponseStatus.OK, body);
    }

    static Response error(HttpResponseStatus status, String text) {
        return of(status, out -> {
            out.writeStartObject();
            out.writeStringField("error", text);
            out.writeEndObject();
        });
    }

    /// The response to a request that fails with this error of RESP. Most errors are the client's mistake.
    static Response error(String text) {
        int end = text.indexOf(' ');
        HttpResponseStatus status = switch (end < 0 ? text : text.substring(0, end)) {
            case "NOAUTH", "WRONGPASS" -> HttpResponseStatus.UNAUTHORIZED;
            case "DENIED", "NOPERM" -> HttpResponseStatus.FORBIDDEN;
            case "LOADING", "MISCONF", "OOM", "BUSY" -> HttpResponseStatus.SERVICE_UNAVAILABLE;
            default -> {
                if (text.equals("ERR internal error")) {
                    yield HttpResponseStatus.INTERNAL_SERVER_ERROR;
                }
                yield text.startsWith("ERR this changes more than ")
                        ? HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE
                        : HttpResponseStatus.BAD_REQUEST;
            }
        };
        // The connection has authenticated with a password that has changed since.
        return status.equals(HttpResponseStatus.UNAUTHORIZED)
                ? error(status, text).closing()
                : error(status, text);
    }

    /// The response to a request with another method than these.
    Response allowing(String methods) {
        return methods.isEmpty() ? this : with(new DefaultHttpHeaders().set(HttpHeaderNames.ALLOW, methods));
    }

    Response with(HttpHeaders others) {
        return new Response(status, type, body, others, closes, topic);
    }

    Response closing() {
        return new Response(status, type, body, headers, true, topic);
    }

    /// The status line and the headers, up to the body. `origin` is that of another page that may read the response, or
    /// empty.
    String head(String origin, boolean closes) {
        StringBuilder head = new StringBuilder(256);
        head.append("HTTP/1.1 ").append(status);
        line(head, "content-type", type);
        if (topic == null && !status.equals(HttpResponseStatus.NOT_MODIFIED)) {
            line(head, "content-length", Integer.toString(body.readableBytes()));
        }
        if (!headers.contains(HttpHeaderNames.CACHE_CONTROL)) {
            line(head, "cache-control", "no-store");
        }
        line(head, "x-content-type-options", "nosniff");
        if (status.equals(HttpResponseStatus.UNAUTHORIZED)) {
            line(head, "www-authenticate", "Bearer");
        }
        headers.forEach(header -> line(head, header.getKey(), header.getValue()));
        if (!origin.isEmpty()) {
            line(head, "access-control-allow-origin", origin);
            line(head, "vary", "origin");
        }
        line(head, "connection", closes ? "close" : "keep-alive");
        return head.append("\r\n\r\n").toString();
    }

    private static void line(StringBuilder head, String name, String value) {
        head.append("\r\n").append(name).append(": ").append(value);
    }
}
