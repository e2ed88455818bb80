package io.tallis.command.server;

import io.tallis.command.dispatch.CommandRunner;
import io.tallis.command.dispatch.WriteGate;
import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.CellVisitor;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.KeyspaceFullException;
import io.tallis.keyspace.TurnLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// The work of `FLUSHALL`: deletes every counter, some hundreds at a time, and waits for the journal after each batch.
/// So it loads the journal no more than a client does, and never runs ahead of the disk.
///
/// Ends early when changes are refused (disk trouble, no memory, shutdown); counters deleted by then stay deleted. Runs
/// one at a time and blocks, so never on an event loop.
public final class Flush {
    private static final int CHUNK = 512;
    private static final String LOST = "MISCONF Errors writing to the journal: not all counters were deleted";

    /// How often it checks, while it waits for the journal, whether changes are refused.
    private static final long CHECK_MILLIS = 100;

    private final Keyspace keyspace;
    private final TurnLog log;
    private final WriteGate gate;
    private final Runnable changed;
    private final Runnable ended;
    private final Counters counters;

    /// `log` is used by this object only. `changed` runs after each batch, `ended` at the end of a flush, complete or
    /// not, to tell clients that have cached keys: they are not told of each.
    public Flush(Keyspace keyspace, TurnLog log, WriteGate gate, Runnable changed, Runnable ended) {
        this.keyspace = keyspace;
        this.log = log;
        this.gate = gate;
        this.changed = changed;
        this.ended = ended;
        counters = new Counters(keyspace, log);
        counters.onChange((_, _) -> {});
    }

    /// Returns null when the journal has all deletions, else the error reply.
    public synchronized @Nullable String run() {
        try {
            return deleteAll();
        } finally {
            ended.run();
        }
    }

    private @Nullable String deleteAll() {
        long cursor = 0;
        long deleted = 0;
        long refused = 0;
        do {
            String refusal = gate.refusal();
            if (refusal != null) {
                return deleted == 0 ? refusal : refusal + " (counters deleted before: " + deleted + ")";
            }
            var found = new Found();
            cursor = keyspace.scan(cursor, CHUNK, found);
            // Deleted counters are deleted again, because the journal may not have their deletion yet.
            for (Found.Name counter : found.counters) {
                try {
                    deleted += counters.delete(counter.type, counter.key) ? 1 : 0;
                } catch (KeyspaceFullException _) {
                    refused++;
                }
            }
            String failure = commit();
            if (failure != null) {
                return failure;
            }
        } while (cursor != 0);
        return refused == 0 ? null : CommandRunner.OUT_OF_MEMORY + " (counters not deleted: " + refused + ")";
    }

    private @Nullable String commit() {
        if (!log.hasChanges()) {
            return null;
        }
        var done = new CountDownLatch(1);
        var kept = new AtomicBoolean();
        log.commit(new TurnLog.Outcome() {
            @Override
            public void written() {
                kept.set(true);
                done.countDown();
            }

            @Override
            public void lost() {
                done.countDown();
            }
        });
        changed.run();
        String refusal = awaitUnlessRefused(done);
        return refusal != null || kept.get() ? refusal : LOST;
    }

    /// Waits for the journal. Returns the refusal if changes are refused before it is done, else null.
    private @Nullable String awaitUnlessRefused(CountDownLatch done) {
        try {
            while (!done.await(CHECK_MILLIS, TimeUnit.MILLISECONDS)) {
                String refusal = gate.refusal();
                if (refusal != null) {
                    return refusal;
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    private static final class Found implements CellVisitor {
        private record Name(CounterType type, Key key) {}

        private final List<Name> counters = new ArrayList<>();

        @Override
        public void cell(CounterType type, Key key, Cell counter) {
            // A token outlives its counter: the increment that it stands for was counted, and is deleted.
            if (type == CounterType.TOKEN) {
                return;
            }
            counters.add(new Name(type, Key.of(type, key.toByteArray())));
        }
    }
}
