package io.tallis.journal.log;

import io.tallis.crdt.Counter;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.ToldCell;
import io.tallis.keyspace.TurnLog;
import io.tallis.wire.CounterCodec;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The rows of one thread's turns, from being recorded to being written.
///
/// A turn is handed over whole; one with more than [#PART_BYTES] of rows in several parts, of which only the last
/// has an outcome. A group is never divided: whoever makes one bounds the rows in it before the first change.
final class BufferedTurnLog implements TurnLog {
    /// Beyond this, the rows of a turn that follow go into another part.
    static final int PART_BYTES = 1 << 18;

    /// What may wait for the disk before the thread is asked to make no further change.
    static final long CONGESTED_BYTES = 1 << 22;

    static final long CONGESTED_TURNS = 1 << 10;

    /// How many parts a turn has when it should end.
    static final int LONG_TURN_PARTS = (int) (CONGESTED_BYTES / PART_BYTES);

    /// How many turns are kept for use again, and how much memory they have in all and each; what comes back beyond is
    /// left to the garbage collector.
    static final int KEPT_TURNS = 64;

    static final long KEPT_BYTES = 1 << 21;
    private static final int LARGEST_KEPT = 2 * PART_BYTES;

    private final Replicas replicas;
    private final CounterCodec codec;
    private final TurnStack inbox;
    private final Runnable wake;
    private final TurnStack returned = new TurnStack();
    private final ArrayDeque<Turn> spares = new ArrayDeque<>();
    private final ArrayDeque<Turn> fullParts = new ArrayDeque<>();

    private Turn current;
    private long spareBytes;
    private int groups;

    /// Whose shards have no id in the rows that are recorded next; its own at the begin of each turn and its end, since
    /// turns are written one behind the other.
    private int rowOwner = Replicas.OWN;

    // Written by the thread that records, read by others.
    private volatile long bytesCommitted;
    private volatile boolean hasChanges;
    private volatile long turnsCommitted;

    // Written by the journal, read by the thread that records.
    private volatile long turnsSettled;
    private volatile long bytesSettled;
    private volatile boolean found = true;

    BufferedTurnLog(Replicas replicas, TurnStack inbox, Runnable wake) {
        this.replicas = replicas;
        codec = new CounterCodec(replicas);
        this.inbox = inbox;
        this.wake = wake;
        current = new Turn(this);
    }

    @Override
    public void record(Key key, Counter counter, boolean whole) {
        makeRoom();
        if (!whole) {
            rowsAreOf(Replicas.OWN);
        }
        codec.encodeKey(counter.type(), key.array(), key.offset(), key.length(), current.rows);
        if (whole) {
            codec.encode(counter, rowOwner, current.rows);
        } else {
            codec.encodeOnly(counter, Replicas.OWN, current.rows);
        }
    }

    @Override
    public void recordTold(ToldCell cell) {
        makeRoom();
        rowsAreOf(cell.owner());
        current.rows.bytes(cell.array(), cell.start(), cell.end() - cell.start());
    }

    private void makeRoom() {
        if (!hasChanges) {
            hasChanges = true;
        }
        if (groups == 0 && current.bytes() > PART_BYTES) {
            nextPart();
        }
    }

    /// Says of which replica the shards without an id are in the rows that follow.
    private void rowsAreOf(int owner) {
        if (owner != rowOwner) {
            OwnerRow.write(replicas.id(owner), current.rows);
            rowOwner = owner;
        }
    }

    @Override
    public void beginGroup() {
        if (groups++ == 0 && current.bytes() > PART_BYTES) {
            nextPart();
        }
    }

    @Override
    public void endGroup() {
        groups--;
    }

    private void nextPart() {
        rowsAreOf(Replicas.OWN);
        fullParts.add(current);
        current = takeSpare();
    }

    @Override
    public boolean hasChanges() {
        return hasChanges;
    }

    @Override
    public void commit(Outcome outcome) {
        if (!hasChanges && turnsSettled == turnsCommitted && found) {
            outcome.written();
            return;
        }
        rowsAreOf(Replicas.OWN);
        for (Turn part = fullParts.poll(); part != null; part = fullParts.poll()) {
            push(part, null);
        }
        push(current, outcome);
        current = takeSpare();
        long committed = turnsCommitted;
        turnsCommitted = committed + 1;
        hasChanges = false;
        wake.run();
    }

    private void push(Turn turn, @Nullable Outcome outcome) {
        turn.outcome = outcome;
        turn.last = outcome != null;
        long bytes = bytesCommitted;
        bytesCommitted = bytes + turn.bytes();
        inbox.push(turn);
    }

    @Override
    public boolean isLong() {
        return fullParts.size() >= LONG_TURN_PARTS;
    }

    @Override
    public boolean congested() {
        return turnsCommitted - turnsSettled > CONGESTED_TURNS || bytesCommitted - bytesSettled > CONGESTED_BYTES;
    }

    private Turn takeSpare() {
        // All of them, each time: what waits here to be taken has no other bound.
        for (Turn turn = returned.takeAll(); turn != null; turn = turn.next) {
            keep(turn);
        }
        Turn spare = spares.poll();
        if (spare == null) {
            return new Turn(this);
        }
        spareBytes -= spare.capacity();
        return spare;
    }

    private void keep(Turn turn) {
        if (spares.size() < KEPT_TURNS && spareBytes + turn.capacity() <= KEPT_BYTES) {
            spares.push(turn);
            spareBytes += turn.capacity();
        }
    }

    // For the journal

    /// How many turns have been handed over.
    long turnsCommitted() {
        return turnsCommitted;
    }

    /// Whether all that this thread had recorded when `turns` turns had been handed over is handed over now.
    boolean handedOver(long turns) {
        return !hasChanges || turnsCommitted > turns;
    }

    /// How many bytes of rows have been handed over and not been written. Any thread may ask.
    long bytesWaiting() {
        long settled = bytesSettled;
        return bytesCommitted - settled;
    }

    long turnsWaiting() {
        return turnsCommitted - turnsSettled;
    }

    /// Takes back a turn whose rows are written, and `found` by the next start, or not. After one that is not, nothing
    /// is taken for written before the journal says so again.
    void settled(Turn turn, boolean found) {
        if (this.found != found) {
            this.found = found;
        }
        long bytes = bytesSettled;
        bytesSettled = bytes + turn.bytes();
        if (turn.last) {
            long turns = turnsSettled;
            turnsSettled = turns + 1;
        }
        if (turn.capacity() <= LARGEST_KEPT) {
            turn.clear();
            returned.push(turn);
        }
    }
}
