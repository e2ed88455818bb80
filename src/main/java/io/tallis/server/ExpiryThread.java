package io.tallis.server;

import io.tallis.keyspace.Expiry;
import io.tallis.keyspace.FoldScan;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Sweeper;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import io.tallis.runtime.PeriodicThread;
import java.util.concurrent.TimeUnit;

/// The thread that ends counters at their deadline, drops them after the grace, and folds shards of ended sessions.
///
/// It sweeps for a tenth of the time at most: after a long sweep it rests nine times as long. Counters that have ended
/// and wait for it take memory, and are counted by `DBSIZE`, a little longer then; no client reads them. After each
/// fold all counters are rewritten, in short steps with rests.
final class ExpiryThread implements AutoCloseable {
    private static final long LEAST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int RESTS_PER_WORK = 9;

    private final Keyspace keyspace;
    private final Expiry expiry;
    private final Sweeper sweeper;
    private final Clock clock;
    private final Live<Long> graceSeconds;
    private final PeriodicThread thread;
    private long agedNanos;
    private long nextSweepNanos;
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
        thread = new PeriodicThread(
                "expiry", () -> isFolding ? FoldScan.REST_NANOS : nextSweepNanos - clock.nanos(), this::work);
    }

    void start() {
        thread.start();
    }

    private void work() {
        if (clock.nanos() - nextSweepNanos >= 0) {
            sweep();
        }
        isFolding = sweeper.fold();
    }

    private void sweep() {
        long begin = clock.nanos();
        expiry.graceMillis(TimeUnit.SECONDS.toMillis(graceSeconds.now()));
        if (begin - agedNanos >= TimeUnit.MILLISECONDS.toNanos(expiry.graceMillis())) {
            agedNanos = begin;
            keyspace.age();
        }
        sweeper.run();
        long end = clock.nanos();
        nextSweepNanos = end + Math.max(LEAST_REST_NANOS, RESTS_PER_WORK * (end - begin));
    }

    @Override
    public void close() {
        thread.close();
    }
}
