package io.tallis.journal;

import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Keyspace;
import io.tallis.runtime.Threads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/// Fills an empty keyspace with what the last process left: first the cells of the database, on all processors,
/// then the journal behind them.
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

    /// Loads everything and returns where the journal ends.
    Replay.End run(int threads) throws IOException {
        long first = store.replayFrom();
        segments.release(first);
        loading.expect(store.cellsEstimate(), segments.bytesBeforeLast());
        loadCells(threads);
        Replay.End end = new Replay(segments, keyspace, loading).run(first);
        loading.done();
        return end;
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
        try {
            loadRanges(nextRange);
        } finally {
            nextRange.set(Keyspace.PARTITIONS);
            for (FutureTask<Void> task : tasks) {
                await(task);
            }
        }
    }

    private void loadRanges(AtomicInteger nextRange) throws IOException {
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

    private static void await(FutureTask<Void> task) throws IOException {
        try {
            task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while loading", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException("loading failed", e.getCause());
        }
    }
}
