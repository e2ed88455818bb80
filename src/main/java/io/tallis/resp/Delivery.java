package io.tallis.resp;

import io.netty.channel.Channel;
import io.tallis.command.Client;
import io.tallis.command.Reply;
import java.util.function.Consumer;

/// The way of one connection's replies from being given to leaving: encoder, [Outbox], turns (I3).
///
/// Replies leave at the end of a piece of work, in one go. When the client has changed something in this turn, or
/// waits for an earlier turn, they wait for the journal first (see [Turns]).
final class Delivery {
    /// What at most waits for the journal, and is encoded at a time.
    static final int MAX_BYTES = 256 * 1024;

    private final RespConnection connection;
    private final Channel channel;
    private final Worker worker;
    private final Client client;
    private final Turns turns;
    private final Outbox outbox;
    private final ReplyEncoder encoder;
    private boolean changed;
    private long lastTurn;

    Delivery(RespConnection connection, Channel channel, Worker worker, Client client) {
        this.connection = connection;
        this.channel = channel;
        this.worker = worker;
        this.client = client;
        turns = worker.turns();
        outbox = new Outbox(channel);
        encoder = new ReplyEncoder(client, worker.scratch(), outbox);
    }

    ReplyEncoder encoder() {
        return encoder;
    }

    /// Lets replies be given, and notes whether anything was changed. Replies are dropped, and the outbox is
    /// overfull, beyond `mostBytes`.
    void answer(long mostBytes, Consumer<Reply> body) {
        long changesBefore = worker.counters().changes();
        outbox.allow(mostBytes);
        encoder.begin();
        try {
            body.accept(encoder);
        } finally {
            joinIf(worker.counters().changes() != changesBefore);
            encoder.end();
        }
    }

    private void joinIf(boolean madeChanges) {
        if (madeChanges && !changed) {
            changed = true;
            turns.join(connection);
        }
    }

    /// Whether replies are being given.
    boolean isOpen() {
        return encoder.isOpen();
    }

    /// Ends a piece of work: replies leave, or wait for the journal.
    void deliver() {
        if (changed) {
            return;
        }
        if (isUnconfirmed()) {
            outbox.seal(lastTurn);
        } else {
            flush(outbox.releaseAll());
        }
    }

    /// The turn in which the client changed something is over.
    void endTurn(long turn) {
        changed = false;
        lastTurn = turn;
        outbox.seal(turn);
    }

    /// The journal has that turn.
    void turnWritten(long turn) {
        flush(outbox.release(turn));
    }

    private void flush(int bytes) {
        if (bytes > 0) {
            client.inTouch(worker.nanos());
            channel.flush();
            worker.sent(bytes);
        }
    }

    /// Whether the journal is yet to confirm what the client changed.
    boolean isUnconfirmed() {
        return changed || lastTurn > turns.written();
    }

    /// How many bytes wait for the journal, or for being handed to the network.
    int heldBytes() {
        return outbox.bytes();
    }

    /// Whether so much was encoded in this piece of work that it should end.
    boolean isLong() {
        return encoder.pending() > MAX_BYTES;
    }

    boolean isOverfull() {
        return outbox.isOverfull();
    }

    /// Whether all replies have left.
    boolean isDone() {
        return outbox.isEmpty() && !changed;
    }

    /// How many bytes the client has not taken. Any thread may ask.
    long waitingBytes() {
        return outbox.bytes() + outbox.unsent();
    }

    /// How many pieces have not been handed to the network. Any thread may ask.
    int piecesWaiting() {
        return outbox.pieces();
    }

    /// Whether the network has not taken all that it was given. Any thread may ask.
    boolean isWriting() {
        return outbox.unsent() > 0;
    }

    /// Drops all that has not left.
    void close() {
        outbox.close();
    }
}
