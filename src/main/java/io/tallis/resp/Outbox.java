package io.tallis.resp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.WriteBufferWaterMark;
import java.util.Arrays;

/// The encoded replies of one connection that have not been handed to the network, oldest first.
///
/// Each piece waits for a turn of its event loop to be written to the journal (I3); the newest may not have been
/// told yet for which:
///
///     turn 7 | turn 7 | turn 9 | open | open
///
/// Pieces are as long as what was encoded at a time. How many bytes there may be is the connection's concern.
final class Outbox {
    private static final long OPEN = Long.MAX_VALUE;
    private static final int INITIAL_PIECES = 4;

    /// So much may wait whatever the limit is.
    static final long MOST = 1L << 30;

    private final Channel channel;
    private ByteBuf[] pieces = new ByteBuf[INITIAL_PIECES];
    private long[] turns = new long[INITIAL_PIECES];
    private int first;
    private int count;
    private int bytes;
    private long most = MOST;
    private boolean overfull;
    private boolean closed;

    Outbox(Channel channel) {
        this.channel = channel;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /// How many pieces wait here. Any thread may ask.
    int pieces() {
        return count;
    }

    /// How many bytes wait here.
    int bytes() {
        return bytes;
    }

    /// Bytes that the network has not taken yet from those that were handed over. Any thread may ask.
    long unsent() {
        WriteBufferWaterMark marks = channel.config().getWriteBufferWaterMark();
        long room = channel.bytesBeforeUnwritable();
        if (room > 0) {
            return marks.high() + 1 - room;
        }
        long excess = channel.bytesBeforeWritable();
        return excess == Long.MAX_VALUE ? 0 : excess + marks.low();
    }

    /// From now on more bytes than that are dropped, as is all that waits, and the connection is to be closed.
    void allow(long bytes) {
        most = Math.min(bytes, MOST);
    }

    /// Whether there was more than allowed.
    boolean isOverfull() {
        return overfull;
    }

    /// Adds a copy of encoded replies.
    void append(byte[] source, int length) {
        if (length == 0) {
            return;
        }
        if (count > 0 && turns[index(count - 1)] == OPEN) {
            ByteBuf last = pieces[index(count - 1)];
            if (last.maxFastWritableBytes() >= length) {
                last.writeBytes(source, 0, length);
                added(length);
                return;
            }
        }
        append(channel.alloc().ioBuffer(length).writeBytes(source, 0, length));
    }

    /// Adds encoded replies, taking over the buffer.
    void append(ByteBuf piece) {
        if (closed) {
            piece.release();
            return;
        }
        if (count == pieces.length) {
            grow();
        }
        int index = index(count++);
        pieces[index] = piece;
        turns[index] = OPEN;
        added(piece.readableBytes());
    }

    private void added(int length) {
        bytes += length;
        if (bytes > most) {
            overfull = true;
            close();
        }
    }

    /// All that was added since the last call waits for that turn, which is not before those of older pieces.
    void seal(long turn) {
        for (int i = count - 1; i >= 0 && turns[index(i)] == OPEN; i--) {
            turns[index(i)] = turn;
        }
    }

    /// Hands over what waits for that turn or an earlier one. Returns how many bytes that were; they have not been
    /// flushed.
    int release(long turn) {
        int before = bytes;
        while (count > 0 && turns[first] <= turn) {
            ByteBuf piece = pieces[first];
            first = (first + 1) % pieces.length;
            count--;
            bytes -= piece.readableBytes();
            var _ = channel.write(piece, channel.voidPromise());
        }
        return before - bytes;
    }

    /// Hands over all there is, which must not wait for any turn.
    int releaseAll() {
        return release(OPEN);
    }

    /// Drops all there is and all that is still to come.
    void close() {
        closed = true;
        for (int i = 0; i < count; i++) {
            pieces[index(i)].release();
        }
        count = 0;
        bytes = 0;
    }

    private int index(int i) {
        return (first + i) % pieces.length;
    }

    private void grow() {
        ByteBuf[] morePieces = new ByteBuf[count * 2];
        long[] moreTurns = Arrays.copyOf(turns, count * 2);
        for (int i = 0; i < count; i++) {
            morePieces[i] = pieces[index(i)];
            moreTurns[i] = turns[index(i)];
        }
        pieces = morePieces;
        turns = moreTurns;
        first = 0;
    }
}
