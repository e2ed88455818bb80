package io.tallis.server;

import io.tallis.keyspace.Expiry;
import io.tallis.keyspace.FoldScan;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Sweeper;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import io.tallis.runtime.PeriodicThread;
import java.util.concurrent.TimeUnit;

/// The thread that ends counters at their deadline, drops them after the grace, tidies memory, and folds shards of
/// ended sessions.
///
/// All of it is done in steps with rests; a table is tidied in one. After a sweep it rests for a time in proportion to
/// the slots that were looked at or tidied, so that this takes a small part of the time, however many counters there
/// are and however few end. Counters that have ended and wait for it take memory, and are counted by `DBSIZE`, for
/// longer the more counters there are; no client reads them.
final class ExpiryThread implements AutoCloseable {
    private static final long LEAST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /// Some ten times what a look takes.
    private static final long REST_NANOS_PER_LOOK = 150;

    private final Keyspace keyspace;
    private final Expiry expiry;
    private final Sweeper sweeper;
    private final Clock clock;
    private final Live<Long> graceSeconds;
    private final PeriodicThread thread;
    private long agedNanos;
    private long nextSweepNanos;
    private boolean isSweeping;
    private boolean isFolding;

    /// The grace is [Settings#EXPIRY_GRACE], which may change.
    ExpiryThread(Keyspace keyspace, Clock clock, Live<Long> graceSeconds) {
        this.keyspace = keyspace;
        this.clock = clock;
        this.graceSeconds = graceSeconds;
        expiry = keyspace.expiry();
        sweeper = new Sweeper(keyspace);
        expiry.graceMillis(TimeUnit.SECONDS.toMillis(graceSeconds.now()));
        agedNanos = clock.nanos();
        nextSweepNanos = agedNanos;
        thread = new PeriodicThread("expiry", this::restNanos, this::work);
    }

    void start() {
        thread.start();
    }

    private long restNanos() {
        return isSweeping || isFolding ? FoldScan.REST_NANOS : nextSweepNanos - clock.nanos();
    }

    private void work() {
        if (isSweeping) {
            sweep();
        } else if (clock.nanos() - nextSweepNanos >= 0) {
            beginSweep();
        }
        isFolding = !isSweeping && sweeper.fold();
    }

    private void beginSweep() {
        expiry.graceMillis(TimeUnit.SECONDS.toMillis(graceSeconds.now()));
        long now = clock.nanos();
        if (now - agedNanos >= TimeUnit.MILLISECONDS.toNanos(expiry.graceMillis())) {
            agedNanos = now;
            keyspace.age();
        }
        sweep();
    }

    private void sweep() {
        isSweeping = sweeper.step();
        nextSweepNanos = clock.nanos() + Math.max(LEAST_REST_NANOS, REST_NANOS_PER_LOOK * sweeper.looks());
    }

    @Override
    public void close() {
        thread.close();
    }
}
