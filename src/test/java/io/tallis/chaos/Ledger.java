package io.tallis.chaos;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/// The changes that clients sent and the replies that they got, of counters which are never reset. Thread-safe.
///
/// The value of a counter is exactly that of the last check, all changes acknowledged since, and each of those that
/// were not answered once or not at all. Even counters only grow and are `GCOUNT`; odd ones go up and down.
final class Ledger {
    static final int COUNTERS = 256;

    private static final int MOST_AMOUNT = 100;

    private final List<Account> accounts =
            IntStream.range(0, COUNTERS).mapToObj(_ -> new Account()).toList();
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

    /// To be called before the change is sent.
    void sent(Change change) {
        accounts.get(change.counter).sent(change.amount);
    }

    void acknowledged(Change change, Directory by) {
        accounts.get(change.counter).acknowledged(change.amount, by);
        changes.incrementAndGet();
    }

    /// See [Account#lose].
    int lose(Directory directory) {
        return accounts.stream().mapToInt(account -> account.lose(directory)).sum();
    }

    /// An error was replied, so the change never happens.
    void refused(Change change) {
        accounts.get(change.counter).refused(change.amount);
    }

    /// The number of acknowledged changes.
    long changes() {
        return changes.get();
    }

    /// The highest value that the counter can have.
    long most(int counter) {
        return accounts.get(counter).most();
    }

    /// Whether the counter can have this value, while no request is in flight and all nodes agree.
    boolean isPossible(int counter, long value) {
        return accounts.get(counter).isPossible(value);
    }

    /// The values that the counter can have, for people.
    String expected(int counter) {
        return accounts.get(counter).toString();
    }

    /// The counter has this value on all nodes, and no request is in flight.
    void settle(int counter, long value) {
        accounts.get(counter).settle(value);
    }
}
