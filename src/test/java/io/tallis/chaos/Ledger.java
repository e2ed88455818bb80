package io.tallis.chaos;

import java.util.ArrayList;
import java.util.BitSet;
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

    /// What is known of one counter: `known` is its value without the changes that are not answered.
    private static final class Account {
        private long known;
        private final List<Long> unanswered = new ArrayList<>();

        private long most() {
            return known + above();
        }

        private long above() {
            return unanswered.stream().mapToLong(amount -> Math.max(amount, 0)).sum();
        }

        private long below() {
            return unanswered.stream().mapToLong(amount -> Math.max(-amount, 0)).sum();
        }

        /// Whether `value` is `known` and the sum of some of the unanswered changes. Bit i of `sums` stands for the
        /// sum i - below, and starts with all decrements in and all increments out.
        private boolean isPossible(long value) {
            long wanted = value - known + below();
            if (wanted < 0 || wanted > above() + below()) {
                return false;
            }
            BitSet sums = new BitSet();
            sums.set(0);
            for (long amount : unanswered) {
                long[] before = sums.stream().asLongStream().toArray();
                for (long sum : before) {
                    sums.set(Math.toIntExact(sum + Math.abs(amount)));
                }
            }
            return sums.get(Math.toIntExact(wanted));
        }
    }

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
        Account account = accounts.get(change.counter);
        synchronized (account) {
            account.unanswered.add(change.amount);
        }
    }

    void acknowledged(Change change) {
        Account account = accounts.get(change.counter);
        synchronized (account) {
            account.unanswered.remove(Long.valueOf(change.amount));
            account.known += change.amount;
        }
        changes.incrementAndGet();
    }

    /// An error was replied, so the change never happens.
    void refused(Change change) {
        Account account = accounts.get(change.counter);
        synchronized (account) {
            account.unanswered.remove(Long.valueOf(change.amount));
        }
    }

    /// The number of acknowledged changes.
    long changes() {
        return changes.get();
    }

    /// The highest value that the counter can have.
    long most(int counter) {
        Account account = accounts.get(counter);
        synchronized (account) {
            return account.most();
        }
    }

    /// Whether the counter can have this value, while no request is in flight and all nodes agree.
    boolean isPossible(int counter, long value) {
        Account account = accounts.get(counter);
        synchronized (account) {
            return account.isPossible(value);
        }
    }

    /// The values that the counter can have, for people.
    String expected(int counter) {
        Account account = accounts.get(counter);
        synchronized (account) {
            return account.known + " and any of " + account.unanswered;
        }
    }

    /// The counter has this value on all nodes, and no request is in flight.
    void settle(int counter, long value) {
        Account account = accounts.get(counter);
        synchronized (account) {
            account.known = value;
            account.unanswered.clear();
        }
    }
}
