package io.tallis.crdt;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// The replica ids that this process has met, each with a small number that stands for it in memory.
///
/// Number [#OWN] is this process's own id. Numbers are given in the order in which ids are met, mean nothing outside
/// this process, and are never reused. Safe for concurrent use.
public final class Replicas {
    /// The number of this process's own replica id.
    public static final int OWN = 0;

    /// The most ids one process can number. A start that meets more fails; cells from peers with more are dropped.
    public static final int LIMIT = 1 << 24;

    /// About what an id takes in memory.
    private static final int BYTES_OF_ID = 100;

    private final int limit;
    private final Map<ReplicaId, Integer> numbers = new HashMap<>();
    private volatile ReplicaId[] ids;
    private volatile int count;

    public Replicas(ReplicaId own) {
        this(own, LIMIT);
    }

    /// Numbers at most `limit` ids.
    public Replicas(ReplicaId own, int limit) {
        this.limit = limit;
        ids = new ReplicaId[] {own, own};
        numbers.put(own, OWN);
        count = 1;
    }

    public ReplicaId own() {
        return ids[OWN];
    }

    /// How many ids have been met, this process's own among them.
    public int count() {
        return count;
    }

    /// About how much memory the ids of others take.
    public long bytesUsed() {
        return (count - 1L) * BYTES_OF_ID;
    }

    public ReplicaId id(int number) {
        return ids[number];
    }

    /// The number of `id`, a new one if it was never met before. Throws [TooManyReplicasException] when there is none
    /// left.
    public synchronized int numberOf(ReplicaId id) {
        Integer known = numbers.get(id);
        return known != null ? known : meet(id);
    }

    private int meet(ReplicaId id) {
        int number = count;
        if (number == limit) {
            throw new TooManyReplicasException(limit);
        }
        ReplicaId[] grown = number < ids.length ? ids : Arrays.copyOf(ids, ids.length * 2);
        grown[number] = id;
        ids = grown;
        numbers.put(id, number);
        count = number + 1;
        return number;
    }
}
