package io.tallis.journal.log;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.EntryRing;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.ReceivedCell;
import io.tallis.keyspace.TurnLog;
import io.tallis.wire.CellCodec;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The turn log of one thread: encodes its changes as rows and hands them to the journal at the end of each turn.
///
/// A turn with more than [#PART_BYTES] of rows is handed over in several parts, of which only the last has an outcome.
/// A group is never divided; the command that makes one bounds its rows before the first change.
///
/// A row is an entry of [CellCodec], the same bytes as peers are sent: for them it is copied, not encoded again.
final class BufferedTurnLog implements TurnLog {
    /// Beyond this, the rows of a turn that follow go into another part.
    static final int PART_BYTES = 1 << 18;

    /// With more waiting for the disk, the thread should begin no further change.
    static final long CONGESTED_BYTES = 1 << 22;

    static final long CONGESTED_TURNS = 1 << 10;

    /// With so many parts a turn should end.
    static final int LONG_TURN_PARTS = (int) (CONGESTED_BYTES / PART_BYTES);

    /// The most turns that are kept for reuse, and the most memory of all and of each. Others are left to the garbage
    /// collector.
    static final int KEPT_TURNS = 64;

    static final long KEPT_BYTES = 1 << 21;
    private static final int LARGEST_KEPT = 2 * PART_BYTES;

    private final Replicas replicas;
    private final CellCodec codec;
    private final TurnStack inbox;
    private final Runnable wake;
    private final TurnStack returned = new TurnStack();
    private final ArrayDeque<Turn> spares = new ArrayDeque<>();
    private final ArrayDeque<Turn> fullParts = new ArrayDeque<>();

    private Turn current;
    private long spareBytes;
    private int groups;

    /// Where the row that was recorded last begins in the current part.
    private int rowStart;

    /// The number of the replica whose shards have no id in the rows that follow; see [OwnerRow]. At the beginning and
    /// the end of each turn it is this process itself, since turns of several threads are written one after the other.
    private int rowOwner = Replicas.OWN;

    // Written by the thread that records, read by others.
    private volatile long bytesCommitted;
    private volatile boolean hasChanges;
    private volatile long turnsCommitted;

    // Written by the journal, read by the thread that records.
    private volatile long turnsWritten;
    private volatile long bytesWritten;
    private volatile boolean found = true;

    BufferedTurnLog(Replicas replicas, TurnStack inbox, Runnable wake) {
        this.replicas = replicas;
        codec = new CellCodec(replicas);
        this.inbox = inbox;
        this.wake = wake;
        current = new Turn(this);
    }

    @Override
    public void record(Key key, Cell counter, boolean whole) {
        makeRoom();
        if (!whole) {
            rowsAreOf(Replicas.OWN);
        }
        rowStart = current.rows.position();
        codec.encodeKey(counter.type(), key.array(), key.offset(), key.length(), current.rows);
        if (whole) {
            codec.encode(counter, rowOwner, current.rows);
        } else {
            codec.encodeOnly(counter, Replicas.OWN, current.rows);
        }
    }

    @Override
    public boolean copyTo(EntryRing ring, Key key, Cell counter, int stamp) {
        return ring.offer(current.rows.array(), rowStart, current.rows.position() - rowStart, stamp);
    }

    @Override
    public void recordReceived(ReceivedCell cell) {
        makeRoom();
        rowsAreOf(cell.owner());
        current.rows.bytes(cell.array(), cell.start(), cell.end() - cell.start());
    }

    @Override
    public void recordNote(byte[] note) {
        makeRoom();
        NoteRow.write(note, current.rows);
    }

    private void makeRoom() {
        if (!hasChanges) {
            hasChanges = true;
        }
        if (groups == 0 && current.bytes() > PART_BYTES) {
            nextPart();
        }
    }

    /// Leaves out the id of this replica in the rows that follow.
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
        if (!hasChanges && turnsWritten == turnsCommitted && found) {
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
        return turnsCommitted - turnsWritten > CONGESTED_TURNS || bytesCommitted - bytesWritten > CONGESTED_BYTES;
    }

    private Turn takeSpare() {
        // All of them each time, since nothing else bounds this stack.
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
        long written = bytesWritten;
        return bytesCommitted - written;
    }

    long turnsWaiting() {
        return turnsCommitted - turnsWritten;
    }

    /// Takes back a turn whose rows are written. `found` says whether a start would find them. If not, even the
    /// outcomes of turns without changes come from the journal until a start would find one again.
    void takeBack(Turn turn, boolean found) {
        if (this.found != found) {
            this.found = found;
        }
        long bytes = bytesWritten;
        bytesWritten = bytes + turn.bytes();
        if (turn.last) {
            long turns = turnsWritten;
            turnsWritten = turns + 1;
        }
        if (turn.capacity() <= LARGEST_KEPT) {
            turn.clear();
            returned.push(turn);
        }
    }
}
