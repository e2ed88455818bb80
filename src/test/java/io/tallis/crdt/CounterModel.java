package io.tallis.crdt;

import java.math.BigInteger;
import java.util.Map;
import java.util.TreeMap;

/// A naive model of the lattice, with numbers that cannot overflow, for comparison with [Counter].
final class CounterModel {
    static final BigInteger SIGNED_MIN = BigInteger.valueOf(Long.MIN_VALUE);
    static final BigInteger SIGNED_MAX = BigInteger.valueOf(Long.MAX_VALUE);
    static final BigInteger UNSIGNED_MAX = BigInteger.TWO.pow(64).subtract(BigInteger.ONE);

    private final CounterType type;
    private final Map<Integer, BigInteger[]> shards = new TreeMap<>();

    CounterModel(CounterType type) {
        this.type = type;
    }

    boolean add(int replica, long delta) {
        BigInteger amount = BigInteger.valueOf(delta);
        BigInteger before = sum();
        BigInteger after = before.add(amount);
        boolean towards =
                (before.compareTo(SIGNED_MAX) > 0 && delta < 0) || (before.compareTo(SIGNED_MIN) < 0 && delta > 0);
        boolean inside = after.compareTo(SIGNED_MIN) >= 0 && after.compareTo(SIGNED_MAX) <= 0;
        if (delta != 0 && !inside && !towards) {
            return false;
        }
        if (delta > 0) {
            raise(replica, 0, amount);
        } else if (delta < 0) {
            raise(replica, 1, amount.negate());
        }
        return true;
    }

    void grow(int replica, long unsigned) {
        BigInteger amount = new BigInteger(Long.toUnsignedString(unsigned));
        if (amount.signum() > 0) {
            BigInteger[] shard = shard(replica);
            BigInteger room = UNSIGNED_MAX.subtract(shard[0].subtract(shard[2]));
            raise(replica, 0, amount.min(room));
        }
    }

    void reset() {
        for (BigInteger[] shard : shards.values()) {
            shard[2] = shard[0];
            shard[3] = shard[1];
        }
    }

    void merge(CounterModel other) {
        other.shards.forEach((replica, theirs) -> {
            BigInteger[] mine = shard(replica);
            for (int i = 0; i < mine.length; i++) {
                mine[i] = mine[i].max(theirs[i]);
            }
        });
    }

    /// A total of a shard that came from elsewhere.
    void put(int replica, int total, BigInteger value) {
        shard(replica)[total] = value;
    }

    BigInteger sum() {
        BigInteger sum = BigInteger.ZERO;
        for (BigInteger[] shard : shards.values()) {
            sum = sum.add(shard[0]).subtract(shard[2]).subtract(shard[1]).add(shard[3]);
        }
        return sum;
    }

    /// The value as text, clamped into the range of the type.
    String value() {
        BigInteger low = type == CounterType.GCOUNT ? BigInteger.ZERO : SIGNED_MIN;
        BigInteger high = type == CounterType.GCOUNT ? UNSIGNED_MAX : SIGNED_MAX;
        return sum().max(low).min(high).toString();
    }

    boolean exists() {
        return shards.values().stream().anyMatch(s -> !s[0].equals(s[2]) || !s[1].equals(s[3]));
    }

    private BigInteger[] shard(int replica) {
        return shards.computeIfAbsent(
                replica, _ -> new BigInteger[] {BigInteger.ZERO, BigInteger.ZERO, BigInteger.ZERO, BigInteger.ZERO});
    }

    private void raise(int replica, int total, BigInteger amount) {
        BigInteger[] shard = shard(replica);
        shard[total] = shard[total].add(amount);
    }
}
