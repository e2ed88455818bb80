package io.tallis.chaos;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.random.RandomGenerator;

/// What clients sent and what they were answered, for each counter. Any thread may write.
///
/// A counter is worth at least what it was worth when it was settled, all increments that were acknowledged since, and
/// all decrements that were sent; at most the reverse. Even counters only grow and are `GCOUNT`, odd ones go up and
/// down.
final class Ledger {
    static final int COUNTERS = 256;

    private static final int MOST_AMOUNT = 100;

    private final AtomicLongArray settled = new AtomicLongArray(COUNTERS);
    private final AtomicLongArray upSent = new AtomicLongArray(COUNTERS);
    private final AtomicLongArray upAcknowledged = new AtomicLongArray(COUNTERS);
    private final AtomicLongArray downSent = new AtomicLongArray(COUNTERS);
    private final AtomicLongArray downAcknowledged = new AtomicLongArray(COUNTERS);
    private final AtomicLong changes = new AtomicLong();

    /// One increment, or a decrement where `amount` is negative.
    record Change(int counter, long amount) {
        static Change draw(RandomGenerator random) {
            int counter = random.nextInt(COUNTERS);
            long amount = random.nextLong(1, MOST_AMOUNT + 1);
            return new Change(counter, isGrowing(counter) || random.nextBoolean() ? amount : -amount);
        }

        String[] words() {
            String amountGiven = Long.toString(Math.abs(amount));
            if (isGrowing(counter)) {
                return new String[] {"GCOUNT", "INC", key(counter), amountGiven};
            }
            return new String[] {amount < 0 ? "DECRBY" : "INCRBY", key(counter), amountGiven};
        }
    }

    static boolean isGrowing(int counter) {
        return counter % 2 == 0;
    }

    private static String key(int counter) {
        return (isGrowing(counter) ? "up:" : "both:") + counter;
    }

    /// The command that reads the counter.
    static String[] reading(int counter) {
        return new String[] {isGrowing(counter) ? "GCOUNT" : "PNCOUNT", "GET", key(counter)};
    }

    /// Is noted before it is sent.
    void sent(Change change) {
        add(change, change.amount, upSent, downSent);
    }

    void acknowledged(Change change) {
        add(change, change.amount, upAcknowledged, downAcknowledged);
        changes.incrementAndGet();
    }

    /// Was answered an error, so it never happens.
    void refused(Change change) {
        add(change, -change.amount, upSent, downSent);
    }

    private static void add(Change change, long amount, AtomicLongArray up, AtomicLongArray down) {
        if (change.amount < 0) {
            down.addAndGet(change.counter, -amount);
        } else {
            up.addAndGet(change.counter, amount);
        }
    }

    /// How many changes were acknowledged.
    long changes() {
        return changes.get();
    }

    long least(int counter) {
        return settled.get(counter) + upAcknowledged.get(counter) - downSent.get(counter);
    }

    long most(int counter) {
        return settled.get(counter) + upSent.get(counter) - downAcknowledged.get(counter);
    }

    /// This is what the counter is worth: nothing is sent at present, and nobody has anything of it that not all have.
    void settle(int counter, long value) {
        settled.set(counter, value);
        upSent.set(counter, 0);
        upAcknowledged.set(counter, 0);
        downSent.set(counter, 0);
        downAcknowledged.set(counter, 0);
    }
}
