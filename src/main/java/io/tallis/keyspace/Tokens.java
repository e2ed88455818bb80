package io.tallis.keyspace;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/// What all cells of tokens share: for how long a token is kept, how many there may be, and what became of them. Safe
/// for concurrent use.
public final class Tokens {
    private static final long WINDOW_MILLIS = TimeUnit.MINUTES.toMillis(10);
    private static final int MOST = 100_000;

    /// Deadlines are rounded up to this part of the window: whenever anything is due in a partition, all of it is
    /// swept.
    private static final int SWEEPS_A_WINDOW = 16;

    private volatile long windowMillis = WINDOW_MILLIS;
    private volatile int most = MOST;

    /// How many there were when the sweeper last counted, and how many clients have made since.
    private volatile int counted;

    private final AtomicInteger made = new AtomicInteger();
    private final LongAdder repeated = new LongAdder();
    private final LongAdder countedTwice = new LongAdder();

    /// Clients may have up to `most` tokens here, each kept for `windowMillis`.
    public void limit(long windowMillis, int most) {
        this.windowMillis = windowMillis;
        this.most = most;
    }

    /// About how many there are.
    public long count() {
        return (long) counted + made.get();
    }

    /// How many increments were not made since their tokens were known.
    public long repeated() {
        return repeated.sum();
    }

    /// How many increments were found to be made by more than one node, since one had not got the token of the other.
    public long countedTwice() {
        return countedTwice.sum();
    }

    boolean isFull() {
        return count() >= most;
    }

    /// When a token ends that is made now.
    long deadline(long now) {
        long step = Math.max(1, windowMillis / SWEEPS_A_WINDOW);
        return ((now + windowMillis) / step + 1) * step;
    }

    void isMade() {
        made.incrementAndGet();
    }

    void isCountedTwice() {
        countedTwice.increment();
    }

    void isRepeated() {
        repeated.increment();
    }

    /// The sweeper has counted so many, those of other nodes among them.
    void areCounted(int all) {
        made.set(0);
        counted = all;
    }
}
