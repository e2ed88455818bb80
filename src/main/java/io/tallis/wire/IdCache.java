package io.tallis.wire;

import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import java.util.Arrays;

/// A cache of the numbers of replica ids, in front of [Replicas], which takes a lock: nearly all shards are of a few
/// replicas. Belongs to one thread.
public final class IdCache {
    private static final int SIZE = 1 << 6;

    private final Replicas replicas;
    private final ReplicaId[] ids = new ReplicaId[SIZE];
    private final int[] numbers = new int[SIZE];

    public IdCache(Replicas replicas) {
        this.replicas = replicas;
        Arrays.fill(ids, replicas.own());
        Arrays.fill(numbers, Replicas.OWN);
    }

    /// The number of an id, as [Replicas#numberOf] gives it.
    public int numberOf(long high, long low) {
        // Ids are random, so any bits of them will do.
        int place = (int) low & (SIZE - 1);
        ReplicaId id = ids[place];
        if (id.low() != low || id.high() != high) {
            id = new ReplicaId(high, low);
            numbers[place] = replicas.numberOf(id);
            ids[place] = id;
        }
        return numbers[place];
    }
}
