package io.tallis.resp;

import io.netty.channel.SingleThreadEventLoop;
import io.tallis.crdt.Cell;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.EntryRing;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.TurnLog;
import io.tallis.resp.socket.LoopTask;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/// The turns of one event loop: the changes of a turn go to the journal together at its end, and the replies of the
/// connections that made them leave when the journal has them (I3). Belongs to the event loop.
///
/// A turn ends when the event loop has done all that was ready, so that one write of the journal serves all connections
/// that were ready. It also ends after [#MAX_PIECES] pieces of work, because with some transports there is always more
/// that is ready.
///
///     read and handle requests ──▶ end of the turn: seal replies, commit ──▶ next turn ...
///                                                      │
///                            journal: written ◀────────╯
///                               ╰──▶ on the event loop: sealed replies leave, or after a loss connections close
///
/// A connection that only reads, and does not wait for an earlier turn, takes no part.
final class LoopTurns implements ChangeLog {
    static final int MAX_PIECES = 256;

    /// A connection handles at most so many requests in a turn.
    static final int MAX_REQUESTS = 2048;

    private final SingleThreadEventLoop loop;
    private final TurnLog log;
    private final Runnable afterTurn;
    private final LoopTask endOfTurn = new LoopTask(this::end);
    private final LoopTask beginningOfTurn = new LoopTask(this::begin);
    private final ArrayDeque<EndedTurn> spares = new ArrayDeque<>();

    /// Turns whose outcome came during the commit, on the event loop.
    private final ArrayDeque<EndedTurn> done = new ArrayDeque<>();

    private List<LoopMember> changers = new ArrayList<>();
    private List<LoopMember> yielding = new ArrayList<>();
    private boolean endIsDue;
    private int pieces;
    private long lastTurn;
    private long written;

    /// `afterTurn` is called when the changes of a turn have been handed to the journal.
    LoopTurns(SingleThreadEventLoop loop, TurnLog log, Runnable afterTurn) {
        this.loop = loop;
        this.log = log;
        this.afterTurn = afterTurn;
    }

    @Override
    public void record(Key key, Cell counter, boolean whole) {
        log.record(key, counter, whole);
    }

    @Override
    public boolean copyTo(EntryRing ring, Key key, Cell counter, int stamp) {
        return log.copyTo(ring, key, counter, stamp);
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

    /// Whether this turn has so many changes that it should end.
    boolean isLong() {
        return log.isLong();
    }

    /// Whether the journal is behind.
    boolean isCongested() {
        return log.congested();
    }

    /// The connection has changed something in this turn. Called once per connection and turn.
    void join(LoopMember connection) {
        changers.add(connection);
        endLater();
    }

    /// The connection has more requests, to be handled in the next turn after those of other connections.
    void continueInNextTurn(LoopMember connection) {
        yielding.add(connection);
        endLater();
    }

    /// A connection has finished a piece of work and is not writing replies.
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
            // As a task of its own: a task at the end of an iteration that caused another one there would keep the
            // iteration from ending.
            beginningOfTurn.on(loop);
        }
        if (changers.isEmpty()) {
            return;
        }
        EndedTurn turn = spares.isEmpty() ? new EndedTurn() : spares.remove();
        turn.number = ++lastTurn;
        List<LoopMember> empty = turn.members;
        turn.members = changers;
        changers = empty;
        for (LoopMember connection : turn.members) {
            connection.turnEnded(turn.number);
        }
        log.commit(turn);
        afterTurn.run();
        for (EndedTurn finished = done.poll(); finished != null; finished = done.poll()) {
            finished.callMembers();
        }
    }

    private void begin() {
        List<LoopMember> all = yielding;
        yielding = new ArrayList<>();
        all.forEach(LoopMember::turnBegan);
    }

    /// A turn that has ended, until the journal has written it or given it up. The object is used again for a later
    /// turn.
    private final class EndedTurn implements TurnLog.Outcome {
        private final LoopTask calling = new LoopTask(this::callMembers);
        private List<LoopMember> members = new ArrayList<>();
        private long number;
        private boolean lost;

        @Override
        public void written() {
            finished(false);
        }

        @Override
        public void lost() {
            finished(true);
        }

        /// Must return at once, since the journal waits for it. The members are called on the event loop, afterwards.
        private void finished(boolean isLost) {
            lost = isLost;
            if (loop.inEventLoop()) {
                done.add(this);
            } else {
                calling.on(loop);
            }
        }

        private void callMembers() {
            written = Math.max(written, number);
            for (LoopMember connection : members) {
                if (lost) {
                    connection.turnLost();
                } else {
                    connection.turnWritten(number);
                }
            }
            members.clear();
            spares.add(this);
        }
    }
}
