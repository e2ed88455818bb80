package io.tallis.command.server;

import io.tallis.command.CommandRunner;
import io.tallis.command.WriteGate;
import io.tallis.crdt.Counter;
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

/// Deletes every counter, some hundreds a time, each time waiting for the journal: so it takes no more of the
/// journal than any client, and never runs ahead of the disk. Ends early where any other change would be refused,
/// the disk being in trouble, the memory spent or the server about to stop; what it has deleted by then stays deleted.
///
/// One at a time. Blocks; never on an event loop.
public final class Flush {
    private static final int CHUNK = 512;
    private static final String LOST = "MISCONF Errors writing to the journal: not all counters were deleted";

    /// While it waits for the disk, it looks so often whether changes are refused by now.
    private static final long LOOK_MILLIS = 100;

    private final Keyspace keyspace;
    private final TurnLog log;
    private final WriteGate gate;
    private final Runnable changed;
    private final Counters counters;

    /// `log` is nobody else's. `changed` is told after each time.
    public Flush(Keyspace keyspace, TurnLog log, WriteGate gate, Runnable changed) {
        this.keyspace = keyspace;
        this.log = log;
        this.gate = gate;
        this.changed = changed;
        counters = new Counters(keyspace, log);
    }

    /// Returns null when the journal has all of it, else the error reply that says why not.
    public synchronized @Nullable String run() {
        long cursor = 0;
        long deleted = 0;
        long refused = 0;
        do {
            String refusal = gate.refusal();
            if (refusal != null) {
                return deleted == 0 ? refusal : refusal + " (" + deleted + " counters were deleted before)";
            }
            var found = new Found();
            cursor = keyspace.scan(cursor, CHUNK, found);
            // Those too that are deleted: the journal may not have it yet.
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
        return refused == 0 ? null : CommandRunner.OUT_OF_MEMORY + " (" + refused + " counters were not deleted)";
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

    /// Returns why changes are refused, if they are before that has come; else null.
    private @Nullable String awaitUnlessRefused(CountDownLatch done) {
        try {
            while (!done.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
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
        public void cell(CounterType type, Key key, Counter counter) {
            counters.add(new Name(type, Key.of(key.toByteArray())));
        }
    }
}
