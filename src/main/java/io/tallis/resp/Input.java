package io.tallis.resp;

import io.netty.buffer.ByteBuf;

/// The received bytes of one connection that have not been handled.
///
/// Bytes are read into an array that all connections of an event loop share. Only what is left over when it is
/// another connection's turn moves to an array of the connection's own, which grows as bytes arrive, never because
/// a length was announced, and goes when it is empty. A left-over that is shorter than what arrives goes back in
/// front of it in the shared array; a longer one is added to where it is. So every byte is copied a bounded number
/// of times.
final class Input {
    /// How much is taken from the network at a time: as much as one read brings.
    static final int CHUNK = 64 * 1024;

    /// So much may wait where no limit is set.
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

    /// An array for [Input]s that are used by one thread.
    static byte[] sharedArray() {
        return new byte[SHARED_LENGTH];
    }

    /// How many bytes are waiting.
    int held() {
        return decoder.held();
    }

    /// Whether more bytes are waiting than may; a limit of 0 means no other than that of an array.
    boolean exceeds(long limit) {
        return held() > (limit == 0 ? MOST : Math.min(limit, MOST));
    }

    /// How many bytes the array has that belongs to this connection.
    int capacity() {
        return own.length;
    }

    /// How many more bytes fit into that array. Any thread may ask.
    int room() {
        return Math.max(0, own.length - decoder.held());
    }

    /// Takes at most [#CHUNK] of the bytes and shows them to the decoder. Until [#settle] no other connection may.
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

    /// Leaves the shared array to others.
    void settle() {
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
