package io.tallis.crdt;

import io.tallis.testing.Gen;

/// Random counters, of the kind that merges bring: any totals, resets never beyond what was counted.
public final class CounterGen {
    private static final int REPLICAS = 5;

    private CounterGen() {}

    public static CounterType type(Gen gen) {
        return gen.pick(CounterType.KEYS);
    }

    /// A counter of up to five shards, of which some are empty.
    public static Counter counter(Gen gen, CounterType type) {
        Counter counter = new Counter().clear(type);
        for (int replica = 0; replica < REPLICAS; replica++) {
            if (gen.chance(60)) {
                int shard = counter.append(replica);
                total(gen, counter, shard, Counter.P, Counter.RP);
                if (type != CounterType.GCOUNT) {
                    total(gen, counter, shard, Counter.N, Counter.RN);
                }
            }
        }
        return counter;
    }

    private static void total(Gen gen, Counter counter, int shard, int total, int reset) {
        long high = gen.chance(15) ? gen.anyLong() : 0;
        long low = gen.chance(20) ? 0 : gen.anyLong();
        counter.put(shard, total, high, low);
        if (gen.chance(30)) {
            counter.put(shard, reset, high, low);
        } else if (gen.chance(30)) {
            counter.put(shard, reset, high >>> gen.between(0, 63), high == 0 ? low >>> gen.between(1, 63) : low);
            if (!counter.wellFormed()) {
                counter.put(shard, reset, 0, 0);
            }
        }
    }

    public static Counter copyOf(Counter counter) {
        Counter copy = new Counter();
        copy.copyFrom(counter);
        return copy;
    }
}
