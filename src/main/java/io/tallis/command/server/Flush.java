package io.tallis.command.server;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.CellVisitor;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/// Deletes every counter, some hundreds a time, each time waiting for the journal: so it takes no more of the
/// journal than any client, and never runs ahead of the disk.
///
/// One at a time. Blocks; never on an event loop.
public final class Flush {
    private static final int CHUNK = 512;

    private final Keyspace keyspace;
    private final TurnLog log;
    private final Counters counters;

    /// `log` is nobody else's.
    public Flush(Keyspace keyspace, TurnLog log) {
        this.keyspace = keyspace;
        this.log = log;
        counters = new Counters(keyspace, log);
    }

    /// Returns whether the journal has all of it.
    public synchronized boolean run() {
        long cursor = 0;
        do {
            var found = new Found();
            cursor = keyspace.scan(cursor, CHUNK, found);
            found.counters.forEach(counter -> counters.delete(counter.type, counter.key));
            if (!commit()) {
                return false;
            }
        } while (cursor != 0);
        return true;
    }

    private boolean commit() {
        if (!log.hasChanges()) {
            return true;
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
        try {
            done.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
        return kept.get();
    }

    private static final class Found implements CellVisitor {
        private record Existing(CounterType type, Key key) {}

        private final List<Existing> counters = new ArrayList<>();

        @Override
        public void cell(CounterType type, Key key, Counter counter) {
            if (counter.exists()) {
                counters.add(new Existing(type, Key.of(key.toByteArray())));
            }
        }
    }
}
