package io.tallis.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;

/// A request that waits for replies, and how its response is sent. `replies` is how many replies of RESP it needs;
/// those of a `silent` exchange are dropped. `isHead` is whether the response goes without its body. `origin` is the
/// origin of the page that asks, if it is allowed by [Origins], else empty.
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

    /// The bytes of a response, after which the connection `closes` or not.
    ByteBuf encoded(Response response, boolean closes, ByteBufAllocator allocator) {
        byte[] head = response.head(origin, closes).getBytes(StandardCharsets.ISO_8859_1);
        ByteBuf body = response.body();
        int length = isHead ? 0 : body.readableBytes();
        return allocator.ioBuffer(head.length + length).writeBytes(head).writeBytes(body, body.readerIndex(), length);
    }
}
