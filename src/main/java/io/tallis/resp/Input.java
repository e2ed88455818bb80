package io.tallis.resp;

import io.netty.buffer.ByteBuf;

/// The received bytes of one connection that have not been handled.
///
/// Bytes are received into an array that the connections of an event loop share. Only the remainder after a piece of
/// work moves to an array of the connection's own. That array grows with the bytes that arrive, never because a length
/// was announced, and is released when it is empty. A remainder that is shorter than the next bytes is copied back in
/// front of them in the shared array; a longer one stays and is appended to. So every byte is copied a bounded number
/// of times.
final class Input {
    /// The most bytes taken at a time: those of one read.
    static final int CHUNK = 64 * 1024;

    /// The limit where none is set.
    private static final int MOST = 1 << 30;

    private static final int SHARED_LENGTH = CHUNK + CHUNK / 2;
    private static final int SMALLEST = 64;
    private static final byte[] NONE = {};

    private final byte[] shared;
    private final RequestDecoder decoder;
    private byte[] own = NONE;
    private boolean inShared;

    Input(byte[] shared, RequestDecoder decoder) {
        this.shared = shared;
        this.decoder = decoder;
    }

    /// The array for the inputs of one event loop.
    static byte[] sharedArray() {
        return new byte[SHARED_LENGTH];
    }

    /// The number of bytes that have not been decoded.
    int held() {
        return decoder.held();
    }

    /// The number of bytes of requests that have not been completely handled. Any thread may read it.
    int unhandled() {
        return decoder.unhandled();
    }

    /// Whether more bytes are waiting than the limit allows. A limit of 0 means the largest array.
    boolean exceeds(long limit) {
        return held() > (limit == 0 ? MOST : Math.min(limit, MOST));
    }

    /// The length of the connection's own array.
    int capacity() {
        return own.length;
    }

    /// How many more bytes fit into the connection's own array. Any thread may read it.
    int room() {
        return Math.max(0, own.length - decoder.held());
    }

    /// Takes at most [#CHUNK] of the bytes and passes them to the decoder. No other connection may do so until
    /// [#freeShared].
    void take(ByteBuf received) {
        int held = decoder.held();
        int count = Math.min(received.readableBytes(), CHUNK);
        if (held <= count && held + count <= shared.length) {
            System.arraycopy(own, held == 0 ? 0 : decoder.from(), shared, 0, held);
            received.readBytes(shared, held, count);
            decoder.move(shared, 0, held + count);
            inShared = true;
        } else {
            makeRoom(held, count);
            received.readBytes(own, decoder.end(), count);
            decoder.extend(decoder.end() + count);
        }
    }

    /// Moves what was not decoded to the connection's own array, which frees the shared array for other connections.
    void freeShared() {
        int held = decoder.held();
        if (held == 0) {
            decoder.move(NONE, 0, 0);
            own = NONE;
        } else if (inShared) {
            keep(own.length < held || isTooLong(held) ? new byte[Math.max(held, SMALLEST)] : own, shared);
        } else if (isTooLong(held)) {
            keep(new byte[held], own);
        }
        inShared = false;
    }

    /// Drops all bytes.
    void clear() {
        decoder.clear();
        own = NONE;
        inShared = false;
    }

    private boolean isTooLong(int held) {
        return own.length > CHUNK && held < own.length / 4;
    }

    private void makeRoom(int held, int count) {
        if (own.length - decoder.end() >= count) {
            return;
        }
        int needed = Math.addExact(held, count);
        boolean fits = needed <= own.length;
        keep(fits ? own : new byte[(int) Math.max(needed, Math.min(own.length * 2L, Integer.MAX_VALUE - 8))], own);
    }

    private void keep(byte[] target, byte[] source) {
        int held = decoder.held();
        System.arraycopy(source, decoder.from(), target, 0, held);
        decoder.move(target, 0, held);
        own = target;
    }
}
