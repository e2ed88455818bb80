package io.tallis.journal.checkpoint;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Place;
import io.tallis.journal.log.CheckpointJournal;
import io.tallis.keyspace.DirtyCells;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.runtime.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/// Takes checkpoints: copies the counters that have changed from memory to the database on the disk, so that the
/// journal before can be deleted and a start has little to replay.
///
/// A start loads the database and replays the journal from the segment that the database names:
///
/// ```
///                    before                           after
/// database           counters, "replay from 5"        counters, "replay from 9"
/// journal            5  6  7  8                       9
/// dirty cells        those changed since segment 5    those changed since the checkpoint
/// ```
///
/// Clients are served meanwhile: only the lock of one partition at a time is held, and none during a write.
///
/// One checkpoint runs at a time. A failed one leaves database and journal as good as before. It marks every cell
/// dirty, because it has cleared marks and does not remember which. A checkpoint that finds the database damaged marks
/// every cell too, and writes all of them into a new generation ([Generations]).
public final class Checkpointer {
    /*
     * Why nothing is lost, doubled, or seen half
     * ------------------------------------------
     *     1  rotate: all recorded so far is written, and segment K begins
     *     2  take the dirty cells of all partitions into memory; whenever some megabytes are gathered,
     *        settle: all recorded so far is on the disk, and only then write them to the database
     *     3  commit "replay from K" to the database, behind all rows
     *     4  release the segments before K
     *
     * Nothing lost: a row in a segment before K was recorded, under the lock of its cell, before the rotation, and the
     * cell was marked under that same lock. So when 2 comes to the cell, its mark is still there, or an earlier
     * checkpoint took it, and that one either committed or marked everything again. Either way the database has the
     * cell with that change when 3 makes the segment needless. A change that was made but not yet handed over at the
     * rotation gets its row in segment K or later, and is replayed from there, whether or not 2 saw it as well.
     *
     * Nothing doubled: rows of the database and of the journal are absolute and merge by maximum, in any order, any
     * number of times. So it does not matter either that the database may hold rows from a checkpoint that never
     * committed.
     *
     * Nothing half: a cell goes into the database whole. A transaction changes several cells, and 2 can come
     * between them; that is what 2 settles for: when any row of the transaction can be in the database, its frame is in
     * the journal for good, and replay brings the others.
     *
     * Memory is bounded by what is gathered before it is written: BATCHES batches, each with the cell that filled it,
     * be it large. Batches are filled again and again: they are too many to be left to the collector at every
     * checkpoint.
     */

    private static final int LARGEST_BATCH = 1 << 19;
    private static final int SMALLEST_BATCH = 1 << 14;
    private static final int BATCHES = 16;

    /// All batches together take no more than this part of the heap.
    private static final int HEAP_PART = 64;

    private final Keyspace keyspace;
    private final Generations database;
    private final CheckpointJournal journal;
    private final Place place;
    private final Clock clock;
    private final int batchBytes;
    private final LongConsumer pause;
    private final List<CellStore.Batch> batches = new ArrayList<>();
    private final List<CellStore.Batch> spares = new ArrayList<>();
    private CellStore.Batch batch;
    private volatile History history;
    private volatile boolean abandoned;

    /// `pause` is called after each batch with how many nanoseconds that took.
    public Checkpointer(
            Keyspace keyspace,
            Generations database,
            CheckpointJournal journal,
            Place place,
            Clock clock,
            int batchBytes,
            LongConsumer pause) {
        this.keyspace = keyspace;
        this.database = database;
        this.journal = journal;
        this.place = place;
        this.clock = clock;
        this.batchBytes = batchBytes;
        this.pause = pause;
        batch = database.newBatch(keyspace.replicas());
        history = new History(clock.nanos(), 0, 0, database.bytes());
    }

    /// What checkpoints did so far: when the last began, how many succeeded, how many have begun since the last of
    /// those ended, at whose end the files of the database were so long.
    record History(long beganNanos, long taken, long begunSince, long databaseBytes) {}

    /// Any thread may ask.
    History history() {
        return history;
    }

    /// How large batches are in a process with so large a heap.
    public static int batchBytes(long heapBytes) {
        return Math.clamp(heapBytes / HEAP_PART / BATCHES, SMALLEST_BATCH, LARGEST_BATCH);
    }

    /// Has the checkpoint that runs, and all later ones, fail as soon as possible: the node stops.
    void abandon() {
        abandoned = true;
    }

    boolean abandoned() {
        return abandoned;
    }

    private void requireTimeAndPlace() throws IOException {
        if (abandoned) {
            throw new IOException("given up, since the node stops");
        }
        place.requireHeld();
    }

    /// Takes a checkpoint, which has all that was recorded when `rotated` is run, and perhaps more. If it meets damage
    /// in the database, it begins again at once, with a new generation.
    synchronized Done run(Runnable rotated) throws IOException {
        try {
            return attempt(rotated);
        } catch (DamagedException _) {
            return attempt(rotated);
        }
    }

    private Done attempt(Runnable rotated) throws IOException {
        requireTimeAndPlace();
        long start = clock.nanos();
        History before = history;
        history = new History(start, before.taken, before.begunSince + 1, before.databaseBytes);
        // Before a segment is begun, or each attempt on a database that cannot be opened would cost one.
        if (!database.prepare()) {
            keyspace.markAll();
        }
        long from = journal.rotate();
        rotated.run();
        long cells = write(from);
        // Behind the barrier of rotate() the journal has all resets that were recorded before the last checkpoint
        // ended, so rows of those cells may be short again.
        keyspace.journalRotated();
        // Last: until the commit a start needs these segments.
        journal.release(from);
        history = new History(start, before.taken + 1, 0, database.bytes());
        return new Done(from, cells, clock.nanos() - start);
    }

    /// Returns when none runs.
    synchronized void awaitEnd() {
        // A checkpoint holds the lock as long as it runs.
    }

    /// What a checkpoint did.
    public record Done(long replayFrom, long cells, long nanos) {}

    private long write(long from) throws IOException {
        boolean committed = false;
        try {
            // Before the cells: the journal is made durable behind them, with all notes that take effect now.
            byte[] notes = keyspace.folds().notes();
            long cells = writeCells();
            requireTimeAndPlace();
            database.writeNotes(notes);
            database.commit(from);
            committed = true;
            return cells;
        } finally {
            if (!committed) {
                database.abandonNext();
                keyspace.markAll();
                batch.clear();
                spareAll();
            }
        }
    }

    private long writeCells() throws IOException {
        long cells = 0;
        long workingSince = clock.nanos();
        try (DirtyCells dirty = keyspace.dirtyCells()) {
            while (!dirty.allShown()) {
                cells += dirty.show(intoBatch(dirty));
                if (!hasRoom()) {
                    requireTimeAndPlace();
                    gather();
                    pause.accept(clock.nanos() - workingSince);
                    workingSince = clock.nanos();
                }
            }
        }
        gather();
        writeBatches();
        return cells;
    }

    private DirtyCells.Visitor intoBatch(DirtyCells dirty) {
        return new DirtyCells.Visitor() {
            @Override
            public boolean hasRoom() {
                return Checkpointer.this.hasRoom();
            }

            @Override
            public void changed(Key key, Cell cell) {
                batch.add(dirty.partition(), key, cell);
            }

            @Override
            public void dropped(CounterType type, Key key) {
                batch.delete(dirty.partition(), type, key);
            }
        };
    }

    private boolean hasRoom() {
        return batch.bytes() < batchBytes;
    }

    private void gather() throws IOException {
        batches.add(batch);
        batch = spares.isEmpty() ? database.newBatch(keyspace.replicas()) : spares.removeLast();
        if (batches.size() == BATCHES) {
            writeBatches();
        }
    }

    private void writeBatches() throws IOException {
        journal.makeDurable();
        for (CellStore.Batch gathered : batches) {
            requireTimeAndPlace();
            database.write(gathered);
        }
        spareAll();
    }

    private void spareAll() {
        batches.forEach(CellStore.Batch::clear);
        spares.addAll(batches);
        batches.clear();
    }
}
