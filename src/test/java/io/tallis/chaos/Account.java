package io.tallis.chaos;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What is known of the sum of one counter: `known` without the changes that are not answered, or that a lost directory
/// has acknowledged, each of which counts once or not at all. Thread-safe.
final class Account {
    private final List<Long> unanswered = new ArrayList<>();

    /// What was acknowledged since the value was known, by the directory of the node that did so.
    private final Map<Directory, List<Long>> acknowledged = new HashMap<>();

    private final Set<Directory> lost = new HashSet<>();
    private long known;

    /// To be called before the change is sent.
    synchronized void sent(long amount) {
        unanswered.add(amount);
    }

    synchronized void acknowledged(long amount, Directory by) {
        if (!lost.contains(by)) {
            unanswered.remove(Long.valueOf(amount));
            known += amount;
            acknowledged.computeIfAbsent(by, _ -> new ArrayList<>()).add(amount);
        }
    }

    /// The directory is lost: what was acknowledged there since the value was known counts once or not at all. Returns
    /// how many changes that are.
    synchronized int lose(Directory directory) {
        lost.add(directory);
        List<Long> amounts = acknowledged.getOrDefault(directory, List.of());
        acknowledged.remove(directory);
        known -= amounts.stream().mapToLong(Long::longValue).sum();
        unanswered.addAll(amounts);
        return amounts.size();
    }

    /// An error was replied, so the change never happens.
    synchronized void refused(long amount) {
        unanswered.remove(Long.valueOf(amount));
    }

    /// The counter has this value on all nodes, and no request is in flight.
    synchronized void settle(long value) {
        known = value;
        unanswered.clear();
        acknowledged.clear();
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
        BigInteger sums = BigInteger.ONE;
        for (long amount : unanswered) {
            sums = sums.or(sums.shiftLeft(Math.toIntExact(Math.abs(amount))));
        }
        return sums.testBit(Math.toIntExact(wanted));
    }

    @Override
    public synchronized String toString() {
        return known + " and any of " + unanswered;
    }
}
