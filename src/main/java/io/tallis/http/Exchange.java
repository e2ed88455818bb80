package io.tallis.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;

/// A request that waits for replies, and how its response is sent. `replies` is how many replies of RESP it needs;
/// those of a `silent` exchange are dropped. `isHead` is whether the response goes without its body, `origin` that of
/// the
/// page that gets it, if it is another one that may ([Origins]).
record Exchange(int replies, Work work, boolean silent, boolean isHead, String origin, boolean keepsAlive) {
    static Exchange of(Work work, boolean isHead, String origin, boolean keepsAlive) {
        return new Exchange(work.commands().size(), work, false, isHead, origin, keepsAlive);
    }

    /// A command of our own, whose reply the client does not see.
    static Exchange silent(Work work) {
        return new Exchange(work.commands().size(), work, true, false, "", true);
    }

    /// The response, made from complete replies.
    Response response(ByteBuf bytes) {
        return work.rendering().of(new ReplyReader(bytes, work.base64()));
    }

    /// The messages that begin a stream of events, which ends with the connection.
    List<HttpObject> beginning(Response response) {
        HttpResponse message = new DefaultHttpResponse(HttpVersion.HTTP_1_1, response.status());
        HttpHeaders headers = message.headers();
        headers.set(HttpHeaderNames.CONTENT_TYPE, response.type());
        headers.set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
        headers.set("x-content-type-options", "nosniff");
        // Proxies that gather responses are asked not to.
        headers.set("x-accel-buffering", "no");
        Origins.allow(origin, headers);
        headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        return List.of(message, new DefaultHttpContent(response.body()));
    }

    /// The message for a response, after which the connection `closes` or not.
    FullHttpResponse message(Response response, boolean closes) {
        ByteBuf body = isHead ? Unpooled.EMPTY_BUFFER : response.body();
        FullHttpResponse message = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, response.status(), body);
        HttpHeaders headers = message.headers();
        headers.set(HttpHeaderNames.CONTENT_TYPE, response.type());
        if (!response.status().equals(HttpResponseStatus.NOT_MODIFIED)) {
            headers.setInt(HttpHeaderNames.CONTENT_LENGTH, response.body().readableBytes());
        }
        headers.set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
        headers.set("x-content-type-options", "nosniff");
        if (response.status().equals(HttpResponseStatus.UNAUTHORIZED)) {
            headers.set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
        }
        headers.setAll(response.headers());
        Origins.allow(origin, headers);
        headers.set(HttpHeaderNames.CONNECTION, closes ? HttpHeaderValues.CLOSE : HttpHeaderValues.KEEP_ALIVE);
        return message;
    }
}
