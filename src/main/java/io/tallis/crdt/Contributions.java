package io.tallis.crdt;

import java.math.BigInteger;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Function;

/// What each node contributed to a counter, as far as it was not reset.
public final class Contributions {
    private static final BigInteger HIGH = BigInteger.ONE.shiftLeft(Long.SIZE);

    /// What stands for the name of a node at a value that was assigned.
    public static final String ASSIGNED = "(assigned)";

    /// What stands for the name of a node at what sources have counted.
    public static final String SOURCES = "(sources)";

    private Contributions() {}

    /// The contributions by name of the node, summed over its sessions, in the order of the names. `names` is the name
    /// of the node that a session belonged to. Their sum may exceed the value, which is clamped to the range of its
    /// type.
    public static SequencedMap<String, BigInteger> of(
            Counter counter, Replicas replicas, Function<ReplicaId, String> names) {
        SequencedMap<String, BigInteger> contributions = new TreeMap<>();
        for (int i = 0; i < counter.shards(); i++) {
            BigInteger up = left(counter, i, Counter.P, Counter.RP);
            BigInteger down = left(counter, i, Counter.N, Counter.RN);
            if (up.signum() != 0 || down.signum() != 0) {
                String name = nameOf(replicas.id(counter.replica(i)), names);
                contributions.merge(name, up.subtract(down), BigInteger::add);
            }
        }
        return contributions;
    }

    /// The name under which a contribution is shown.
    public static String nameOf(ReplicaId id, Function<ReplicaId, String> names) {
        return id.isSource() ? SOURCES : names.apply(id);
    }

    private static BigInteger left(Counter counter, int shard, int total, int reset) {
        return total(counter, shard, total).subtract(total(counter, shard, reset));
    }

    /// A total of a shard.
    public static BigInteger total(Counter counter, int shard, int total) {
        return unsigned(counter.high(shard, total)).multiply(HIGH).add(unsigned(counter.low(shard, total)));
    }

    private static BigInteger unsigned(long bits) {
        BigInteger signed = BigInteger.valueOf(bits);
        return bits < 0 ? signed.add(HIGH) : signed;
    }
}
