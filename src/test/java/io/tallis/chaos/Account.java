package io.tallis.chaos;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// What is known of the sum of one counter: `known` without the changes that are not answered, each of which counts
/// once or not at all. Thread-safe.
final class Account {
    private final List<Long> unanswered = new ArrayList<>();
    private long known;

    /// To be called before the change is sent.
    synchronized void sent(long amount) {
        unanswered.add(amount);
    }

    synchronized void acknowledged(long amount) {
        unanswered.remove(Long.valueOf(amount));
        known += amount;
    }

    /// An error was replied, so the change never happens.
    synchronized void refused(long amount) {
        unanswered.remove(Long.valueOf(amount));
    }

    /// The counter has this value on all nodes, and no request is in flight.
    synchronized void settle(long value) {
        known = value;
        unanswered.clear();
    }

    /// The highest value that the counter can have.
    synchronized long most() {
        return known + above();
    }

    private long above() {
        return unanswered.stream().mapToLong(amount -> Math.max(amount, 0)).sum();
    }

    private long below() {
        return unanswered.stream().mapToLong(amount -> Math.max(-amount, 0)).sum();
    }

    /// Whether `value` is `known` and the sum of some of the unanswered changes, while no request is in flight and all
    /// nodes agree. Bit i of `sums` stands for the sum i - below, and starts with all decrements in and all increments
    /// out.
    synchronized boolean isPossible(long value) {
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

    @Override
    public synchronized String toString() {
        return known + " and any of " + unanswered;
    }
}
