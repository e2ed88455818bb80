package io.tallis.resp;

import io.netty.channel.SingleThreadEventLoop;
import io.tallis.crdt.Counter;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.EntryRing;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.TurnLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/// The turns of one event loop: what its connections changed in a turn goes to the journal at the turn's end, and
/// the replies of those who changed something leave when the journal has it (I3).
///
/// A turn ends when the event loop has done all that was ready, so that one write of the journal serves all
/// connections that had something to say; or after [#MAX_PIECES] pieces of work, since there are transports for
/// which more becomes ready all the time.
///
///     reads ..  changes ..  | end: seal replies, commit | reads .. | written: replies of that turn leave
///
/// Who only reads, and waits for no earlier turn of its own, does not take part. Belongs to the event loop.
final class Turns implements ChangeLog {
    static final int MAX_PIECES = 256;

    /// After so many requests of one connection others have their turn.
    static final int MAX_REQUESTS = 2048;

    private final SingleThreadEventLoop loop;
    private final TurnLog log;
    private final Runnable afterTurn;
    private final LoopTask endOfTurn = new LoopTask(this::end);
    private final LoopTask nextTurn = new LoopTask(this::goOn);
    private final ArrayDeque<Turn> spares = new ArrayDeque<>();
    private final ArrayDeque<Turn> arrivedHere = new ArrayDeque<>();
    private List<RespConnection> takingPart = new ArrayList<>();
    private List<RespConnection> yielding = new ArrayList<>();
    private boolean endIsDue;
    private int pieces;
    private long lastTurn;
    private long written;

    /// `afterTurn` is called when a turn's changes have gone to the journal.
    Turns(SingleThreadEventLoop loop, TurnLog log, Runnable afterTurn) {
        this.loop = loop;
        this.log = log;
        this.afterTurn = afterTurn;
    }

    @Override
    public boolean copyTo(EntryRing ring, Key key, Counter counter, int stamp) {
        return log.copyTo(ring, key, counter, stamp);
    }

    @Override
    public void record(Key key, Counter counter, boolean whole) {
        log.record(key, counter, whole);
    }

    @Override
    public void beginGroup() {
        log.beginGroup();
    }

    @Override
    public void endGroup() {
        log.endGroup();
    }

    /// The last turn that the journal has.
    long written() {
        return written;
    }

    /// Whether so much was changed in this turn that the next should begin.
    boolean isLong() {
        return log.isLong();
    }

    boolean congested() {
        return log.congested();
    }

    /// The connection changed something in this turn. Told once a turn.
    void join(RespConnection connection) {
        takingPart.add(connection);
        endLater();
    }

    /// The connection has more to do, in the next turn, when others have had theirs.
    void goOnInNextTurn(RespConnection connection) {
        yielding.add(connection);
        endLater();
    }

    /// A connection has done a piece of work, and writes no replies at present.
    void pieceDone() {
        if (endIsDue && ++pieces >= MAX_PIECES) {
            endOfTurn.run();
        }
    }

    private void endLater() {
        if (!endIsDue) {
            endIsDue = true;
            endOfTurn.atEndOfIteration(loop);
        }
    }

    private void end() {
        endIsDue = false;
        pieces = 0;
        if (!yielding.isEmpty()) {
            // Not from here: tasks at the end of a turn that add more of them would keep it from ending.
            nextTurn.on(loop);
        }
        if (takingPart.isEmpty()) {
            return;
        }
        Turn turn = spares.isEmpty() ? new Turn() : spares.remove();
        turn.number = ++lastTurn;
        List<RespConnection> empty = turn.waiting;
        turn.waiting = takingPart;
        takingPart = empty;
        for (RespConnection connection : turn.waiting) {
            connection.delivery().endTurn(turn.number);
        }
        log.commit(turn);
        afterTurn.run();
        for (Turn arrived = arrivedHere.poll(); arrived != null; arrived = arrivedHere.poll()) {
            arrived.tell();
        }
    }

    private void goOn() {
        List<RespConnection> all = yielding;
        yielding = new ArrayList<>();
        all.forEach(RespConnection::goOn);
    }

    /// One turn, from its end until the journal has it or gave up. Used again for a later turn.
    private final class Turn implements TurnLog.Outcome {
        private final LoopTask news = new LoopTask(this::tell);
        private List<RespConnection> waiting = new ArrayList<>();
        private long number;
        private boolean lost;

        @Override
        public void written() {
            arrived(false);
        }

        @Override
        public void lost() {
            arrived(true);
        }

        private void arrived(boolean isLost) {
            lost = isLost;
            if (loop.inEventLoop()) {
                // The journal is not to be kept waiting: what follows may take long.
                arrivedHere.add(this);
            } else {
                news.on(loop);
            }
        }

        private void tell() {
            written = Math.max(written, number);
            for (RespConnection connection : waiting) {
                if (lost) {
                    connection.kill();
                } else {
                    connection.turnWritten(number);
                }
            }
            waiting.clear();
            spares.add(this);
        }
    }
}
