package io.tallis.resp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.WriteBufferWaterMark;
import java.util.Arrays;
import java.util.function.LongSupplier;

/// A queue of one connection's encoded replies, each held back until the journal has the changes that it confirms (I3).
///
/// A client may send many requests without waiting for replies. Their changes are written to the journal together, when
/// the event loop ends its *turn*. Until then no reply that says OK may leave, and no later one either, since replies
/// leave in the order of the requests. Here the journal has written turns up to 6:
///
///     request    INCR a     GET b      (end of turn 7)    PING        INCR c
///     reply      :1         "5"                           +PONG       :4
///     waits for  turn 7     turn 7                        turn 7      open: its turn has not ended
///                ▲ oldest                                             newest ▲
///
/// `GET b` changed nothing and waits all the same, behind `INCR a`. So does `PING`, though it came after the turn. Once
/// the journal has turn 7, three replies leave at once. `:4` leaves when turn 8 is written.
///
/// The replies stand in buffers. One buffer has one or more replies that wait for the same turn. The newest buffers are
/// *open*: if the client has changed something in the current turn, they stay open until that turn ends and gets its
/// number, which seals them. If the client has changed nothing and waits for no earlier turn, replies leave at the end
/// of the piece of work that made them ([RespConnection]).
final class Outbox {
    private static final long OPEN = Long.MAX_VALUE;
    private static final int INITIAL_BUFFERS = 4;

    /// The limit of bytes where none is set.
    static final long MOST = 1L << 30;

    private final Channel channel;
    private final LongSupplier writtenTurn;
    private ByteBuf[] buffers = new ByteBuf[INITIAL_BUFFERS];
    private long[] turns = new long[INITIAL_BUFFERS];
    private int first;
    private int count;
    private int bytes;
    private long most = MOST;
    private boolean overfull;
    private boolean closed;
    private boolean awaitsEndOfTurn;
    private long lastTurn;

    /// `writtenTurn` is the last turn of the event loop that the journal has.
    Outbox(Channel channel, LongSupplier writtenTurn) {
        this.channel = channel;
        this.writtenTurn = writtenTurn;
    }

    /// The number of buffers. Any thread may read it.
    int buffers() {
        return count;
    }

    /// The number of bytes that have not been handed to the network.
    int bytes() {
        return bytes;
    }

    /// The number of bytes that the client has not taken, here and in the channel. Any thread may read it.
    long waitingBytes() {
        return bytes + unsent();
    }

    /// The number of bytes that were handed to the channel and have not been sent. Any thread may read it.
    long unsent() {
        WriteBufferWaterMark marks = channel.config().getWriteBufferWaterMark();
        long room = channel.bytesBeforeUnwritable();
        if (room > 0) {
            return marks.high() + 1 - room;
        }
        long excess = channel.bytesBeforeWritable();
        return excess == Long.MAX_VALUE ? 0 : excess + marks.low();
    }

    /// Sets the limit. Beyond it the outbox drops everything, and the connection has to be closed.
    void limit(long bytes) {
        most = Math.min(bytes, MOST);
    }

    /// Whether the limit was exceeded.
    boolean isOverfull() {
        return overfull;
    }

    /// Appends a copy of encoded replies.
    void append(byte[] source, int length) {
        if (length == 0) {
            return;
        }
        if (count > 0 && turns[index(count - 1)] == OPEN) {
            ByteBuf last = buffers[index(count - 1)];
            if (last.maxFastWritableBytes() >= length) {
                last.writeBytes(source, 0, length);
                added(length);
                return;
            }
        }
        append(channel.alloc().ioBuffer(length).writeBytes(source, 0, length));
    }

    /// Appends encoded replies and takes ownership of the buffer.
    void append(ByteBuf buffer) {
        if (closed) {
            buffer.release();
            return;
        }
        if (count == buffers.length) {
            grow();
        }
        int index = index(count++);
        buffers[index] = buffer;
        turns[index] = OPEN;
        added(buffer.readableBytes());
    }

    private void added(int length) {
        bytes += length;
        if (bytes > most) {
            overfull = true;
            close();
        }
    }

    /// The client has changed something in the current turn: replies wait for its end. Returns false if they do
    /// already.
    boolean awaitEndOfTurn() {
        boolean isFirst = !awaitsEndOfTurn;
        awaitsEndOfTurn = true;
        return isFirst;
    }

    /// The turn in which the client changed something has ended: its replies wait for the journal.
    void turnEnded(long turn) {
        awaitsEndOfTurn = false;
        lastTurn = turn;
        seal(turn);
    }

    /// Whether the journal has yet to confirm a change of the client.
    boolean isUnconfirmed() {
        return awaitsEndOfTurn || lastTurn > writtenTurn.getAsLong();
    }

    /// At the end of a piece of work: hands over the replies, unless they have to wait for a turn. Returns how many
    /// bytes were handed over; they have not been flushed.
    int releaseReady() {
        if (awaitsEndOfTurn) {
            return 0;
        }
        if (isUnconfirmed()) {
            seal(lastTurn);
            return 0;
        }
        return release(OPEN);
    }

    /// Whether all replies have left.
    boolean isDone() {
        return count == 0 && !awaitsEndOfTurn;
    }

    /// Makes all open buffers wait for that turn, which is not earlier than those of older buffers.
    void seal(long turn) {
        for (int i = count - 1; i >= 0 && turns[index(i)] == OPEN; i--) {
            turns[index(i)] = turn;
        }
    }

    /// Hands over the buffers that wait for that turn or an earlier one. Returns how many bytes those are; they have
    /// not been flushed.
    int release(long turn) {
        int before = bytes;
        while (count > 0 && turns[first] <= turn) {
            ByteBuf buffer = buffers[first];
            first = (first + 1) % buffers.length;
            count--;
            bytes -= buffer.readableBytes();
            var _ = channel.write(buffer, channel.voidPromise());
        }
        return before - bytes;
    }

    /// Drops all buffers, and those still to come.
    void close() {
        closed = true;
        for (int i = 0; i < count; i++) {
            buffers[index(i)].release();
        }
        count = 0;
        bytes = 0;
    }

    private int index(int i) {
        return (first + i) % buffers.length;
    }

    private void grow() {
        ByteBuf[] moreBuffers = new ByteBuf[count * 2];
        long[] moreTurns = Arrays.copyOf(turns, count * 2);
        for (int i = 0; i < count; i++) {
            moreBuffers[i] = buffers[index(i)];
            moreTurns[i] = turns[index(i)];
        }
        buffers = moreBuffers;
        turns = moreTurns;
        first = 0;
    }
}
