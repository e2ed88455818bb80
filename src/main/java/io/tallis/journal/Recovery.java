package io.tallis.journal;

import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Keyspace;
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

/// Fills an empty keyspace with what the last process left: first the cells of the database, on all processors,
/// then the journal behind them, which it goes on with.
final class Recovery {
    /// How many partitions a thread takes at a time.
    private static final int RANGE = 16;

    private final Segments segments;
    private final CellStore store;
    private final Keyspace keyspace;
    private final Loading loading;

    Recovery(Segments segments, CellStore store, Keyspace keyspace, Loading loading) {
        this.segments = segments;
        this.store = store;
        this.keyspace = keyspace;
        this.loading = loading;
    }

    /// Loads everything and returns the journal, to be gone on with.
    LogWriter run(int threads, Randomness randomness) throws IOException {
        long first = store.replayFrom();
        loading.expect(store.cellsEstimate(), segments.bytesBeforeLast(first));
        loadCells(threads);
        Replay replay = new Replay(segments, keyspace, loading);
        Replay.End end = first == CellStore.NEVER_COMMITTED ? replay.runFromTheFirst() : replay.run(first);
        loading.done();
        store.goOn();
        segments.deleteBefore(first);
        LogWriter log = new LogWriter(segments, keyspace.replicas().own(), randomness, end.segment() + 1, end.offset());
        if (first == CellStore.NEVER_COMMITTED && !log.broken()) {
            expectJournal();
        }
        return log;
    }

    /// From now on a start that finds no journal knows that somebody took it away.
    private void expectJournal() {
        try {
            store.commit(1);
        } catch (IOException e) {
            Failures.LOG.log(Level.DEBUG, "no first commit: " + Failures.reason(e));
        }
    }

    private void loadCells(int threads) throws IOException {
        AtomicInteger nextRange = new AtomicInteger();
        List<FutureTask<Void>> tasks = new ArrayList<>();
        Callable<Void> loader = () -> {
            loadRanges(nextRange);
            return null;
        };
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

    /// Loads ranges until there are no more. One who fails leaves none to the others.
    private void loadRanges(AtomicInteger nextRange) throws IOException {
        boolean done = false;
        try {
            loadRangesLeft(nextRange);
            done = true;
        } finally {
            if (!done) {
                nextRange.set(Keyspace.PARTITIONS);
            }
        }
    }

    private void loadRangesLeft(AtomicInteger nextRange) throws IOException {
        Counters counters = new Counters(keyspace, ChangeLog.NONE);
        long[] cells = new long[1];
        for (int from = nextRange.getAndAdd(RANGE); from < Keyspace.PARTITIONS; from = nextRange.getAndAdd(RANGE)) {
            cells[0] = 0;
            store.load(from, from + RANGE, keyspace.replicas(), (_, key, counter) -> {
                counters.restore(key, counter);
                cells[0]++;
            });
            loading.loaded(cells[0]);
        }
    }

    /// Nobody is in the store any more when this returns or throws: who meets the failure closes it.
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
