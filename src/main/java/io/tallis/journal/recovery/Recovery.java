package io.tallis.journal.recovery;

import io.tallis.journal.checkpoint.CellStore;
import io.tallis.journal.checkpoint.Generations;
import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Failures;
import io.tallis.journal.log.LogWriter;
import io.tallis.journal.log.Segments;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import io.tallis.runtime.Randomness;
import io.tallis.runtime.Threads;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The loading of a data directory at the start: fills the keyspace from a base, which is a generation of the database,
/// and from the journal behind it.
///
/// The base is the generation that `current` names. Where that one, or the journal behind it, is damaged, a start is
/// safe from two other bases only, since each of them proves that nothing can be missing:
///
/// * another generation that was committed, with the journal from its commit on without a gap: left by a crash in the
///   midst of the switch to a new generation ([Generations] says why it is complete);
/// * nothing at all, with the journal from segment 1 on without a gap: no segment was ever released, so the journal has
///   all that was ever recorded.
///
/// Anything else is damage, and the start fails: what was in the damaged files may be nowhere else. A base that was
/// tried and found damaged leaves rows in the keyspace. That is harmless: each was covered by a checksum that was
/// right, and merging never lowers a total (I4).
///
/// Nothing is written or deleted before all has been read and found to be whole.
public final class Recovery {
    /*
     * Why a start does not simply take what it can read
     * -------------------------------------------------
     * A server that runs writes everything anew from memory when it meets damage. A start has no memory. The rows of a
     * damaged table may have been the only copy of their counters: the segments that had them were released when they
     * were committed. To go on without them would answer clients with smaller counts, and the next checkpoint would
     * make that the truth. In a cluster the other nodes have most of it, but only an operator knows whether that is
     * enough.
     *
     * The exceptions are those in which the damaged generation is not needed at all. Both follow from one fact: segment
     * numbers only grow, and a segment is released only after a generation was committed that makes it needless. So any
     * committed generation together with all segments from its commit on is complete, whatever came after it: if a
     * later generation had been committed and segments released since, there would be a gap. And segment 1 is there
     * only if none was ever released.
     */

    /// How many partitions a thread takes at a time.
    private static final int RANGE = 16;

    private final Generations.Files files;
    private final Segments segments;
    private final Keyspace keyspace;
    private final Loading loading;
    private final int threads;

    public Recovery(Generations.Files files, Segments segments, Keyspace keyspace, Loading loading, int threads) {
        this.files = files;
        this.segments = segments;
        this.keyspace = keyspace;
        this.loading = loading;
        this.threads = threads;
    }

    /// What a start goes on with.
    public record Loaded(Generations generations, LogWriter log) {}

    /// Loads everything. Fails with [DamagedException] if something is or may be missing.
    public Loaded run(Randomness randomness) throws IOException {
        beginIfNew();
        Base base = load();
        Generations generations = base.generations;
        try {
            if (keyspace.replicas().hasUnknownFold()) {
                throw new DamagedException(
                        "counters were folded, and the note of that is missing in the journal and in "
                                + files.describe(generations.number()));
            }
            loading.done();
            // From here on files are changed, in this order: a crash between any two leaves a directory that this
            // method loads in the same way. A segment is deleted only after the base that makes it needless is in use.
            generations.use();
            segments.deleteBefore(base.first);
            LogWriter log = new LogWriter(
                    segments, keyspace.replicas().own(), randomness, base.end.segment() + 1, base.end.offset());
            if (base.first == CellStore.NEVER_COMMITTED && !log.broken()) {
                expectJournal(generations.store());
            }
            return new Loaded(generations, log);
        } catch (IOException e) {
            generations.close();
            throw e;
        }
    }

    /// A generation that was loaded, the first segment needed beside it, and where the journal ends.
    private record Base(Generations generations, long first, Replay.End end) {}

    /// Makes the first generation in a new directory. A crash between the two steps leaves a name without a directory,
    /// and no segment: the directory is still new.
    private void beginIfNew() throws IOException {
        if (isNew()) {
            files.use(1);
            files.create(1).close();
        }
    }

    /// Whether the directory has no data and never had any, as far as its files show.
    public boolean isNew() throws IOException {
        return segments.numbers().isEmpty() && files.numbers().isEmpty() && files.current() <= 1;
    }

    private Base load() throws IOException {
        long current = files.current();
        try {
            return load(Generations.open(files, current));
        } catch (DamagedException damage) {
            return loadOther(current, damage);
        }
    }

    private Base loadOther(long current, DamagedException damage) throws IOException {
        // The newest first: it has the most, and its journal is the likeliest to be there without a gap.
        for (long number : files.numbers()) {
            if (number != current) {
                try {
                    Base base = loadCommitted(number);
                    warn(damage, base);
                    return base;
                } catch (DamagedException e) {
                    damage.addSuppressed(e);
                }
            }
        }
        if (segments.numbers().isEmpty() || segments.numbers().first() != 1) {
            throw damage;
        }
        Base base = loadJournalAlone();
        warn(damage, base);
        return base;
    }

    private Base loadCommitted(long number) throws IOException {
        Generations other = Generations.open(files, number);
        if (other.store().replayFrom() == CellStore.NEVER_COMMITTED) {
            other.close();
            throw new DamagedException(files.describe(number) + " was not completed");
        }
        return load(other);
    }

    private Base loadJournalAlone() throws IOException {
        Generations empty = Generations.create(files);
        try {
            return load(empty);
        } catch (IOException e) {
            files.delete(empty.number());
            throw e;
        }
    }

    private static void warn(DamagedException damage, Base base) {
        Failures.LOG.log(
                Level.WARNING,
                Failures.reason(damage) + ". Nothing is lost: the journal, from segment " + Math.max(1, base.first)
                        + " on, and generation " + base.generations.number() + " of the database have everything");
    }

    private Base load(Generations generations) throws IOException {
        try {
            CellStore store = generations.store();
            long first = store.replayFrom();
            boolean isNew =
                    first == CellStore.NEVER_COMMITTED && segments.numbers().isEmpty();
            if (!isNew) {
                segments.requireAllFrom(Math.max(1, first));
            }
            loading.expect(store.cellsEstimate(), segments.bytesBeforeLast(first));
            // Before the cells, of which some may have shards of folds.
            keyspace.folds().takeAll(store.notes());
            loadCells(store);
            Replay.End end = new Replay(segments, keyspace, loading).run(first);
            return new Base(generations, first, end);
        } catch (IOException | RuntimeException e) {
            generations.close();
            throw e;
        }
    }

    /// Commits "replay from segment 1" to a new database, so that a later start expects that segment. Should the whole
    /// journal be lost before the first checkpoint, the start then fails, instead of taking an empty journal beside an
    /// empty database for a new directory.
    private static void expectJournal(CellStore store) {
        try {
            store.openForWriting();
            store.commit(1);
        } catch (IOException e) {
            Failures.LOG.log(Level.DEBUG, "no first commit: " + Failures.reason(e));
        }
    }

    private void loadCells(CellStore store) throws IOException {
        AtomicInteger nextRange = new AtomicInteger();
        List<FutureTask<Void>> tasks = new ArrayList<>();
        Callable<Void> loader = () -> {
            loadRanges(store, nextRange);
            return null;
        };
        // Each thread takes one small range after the other, so that all end at about the same time.
        for (int i = 1; i < threads; i++) {
            FutureTask<Void> task = new FutureTask<>(loader);
            tasks.add(task);
            Threads.start("loader-" + i, task);
        }
        FutureTask<Void> own = new FutureTask<>(loader);
        tasks.add(own);
        own.run();
        awaitAll(tasks);
    }

    /// Loads ranges until there are no more. After a failure the other threads find none left, and end.
    private void loadRanges(CellStore store, AtomicInteger nextRange) throws IOException {
        boolean done = false;
        try {
            loadRangesLeft(store, nextRange);
            done = true;
        } finally {
            if (!done) {
                nextRange.set(Keyspace.PARTITIONS);
            }
        }
    }

    private void loadRangesLeft(CellStore store, AtomicInteger nextRange) throws IOException {
        Merges merges = new Merges(keyspace, ChangeLog.NONE);
        long[] cells = new long[1];
        for (int from = nextRange.getAndAdd(RANGE); from < Keyspace.PARTITIONS; from = nextRange.getAndAdd(RANGE)) {
            cells[0] = 0;
            store.load(from, from + RANGE, keyspace.replicas(), (_, key, cell) -> {
                merges.restore(key, cell);
                cells[0]++;
            });
            loading.loaded(cells[0]);
        }
    }

    /// Waits for all tasks, even when one has failed: the store is closed after a failure, and no thread may be in it.
    private static void awaitAll(List<FutureTask<Void>> tasks) throws IOException {
        Throwable failure = null;
        for (FutureTask<Void> task : tasks) {
            Throwable cause = failureOf(task);
            if (failure == null) {
                failure = cause;
            } else if (cause != null) {
                failure.addSuppressed(cause);
            }
        }
        switch (failure) {
            case null -> {}
            case IOException unreadable -> throw unreadable;
            default -> throw new IllegalStateException("loading failed", failure);
        }
    }

    private static @Nullable Throwable failureOf(FutureTask<Void> task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    task.get();
                    return null;
                } catch (ExecutionException e) {
                    return e.getCause();
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
