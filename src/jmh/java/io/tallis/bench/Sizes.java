package io.tallis.bench;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// How much is sent and stored.
///
/// @param keys how many keys throughput and latency draw from
/// @param requests how many requests one throughput sample takes, by pipeline depth, which divides them
/// @param paced the load under which latency is measured
/// @param fills how many keys there are when memory and restarts are measured, and when a node joins; of the last,
///     what a node that was absent has
/// @param cluster what groups of servers are measured with besides
record Sizes(
        int keys, SortedMap<Integer, Long> requests, PacedLoad.Plan paced, List<Integer> fills, ClusterSizes cluster) {
    static final int CONNECTIONS = 50;

    /// Samples of some seconds each. The paced load warms up for long enough that the Java compiler of a small
    /// machine has done most of its work.
    static Sizes full() {
        return new Sizes(
                1_000_000,
                new TreeMap<>(Map.of(1, 400_000L, 16, 4_000_000L, 64, 6_400_000L)),
                new PacedLoad.Plan(CONNECTIONS, 20_000, 20, 10),
                List.of(1_000_000, 10_000_000),
                ClusterSizes.full());
    }

    /// Just enough to see that every measure can be taken.
    static Sizes smoke() {
        return new Sizes(
                10_000,
                new TreeMap<>(Map.of(1, 10_000L, 64, 192_000L)),
                new PacedLoad.Plan(CONNECTIONS, 2_000, 1, 2),
                List.of(20_000),
                ClusterSizes.smoke());
    }

    /// The same with other numbers of stored keys.
    Sizes withFills(List<Integer> fills) {
        return new Sizes(keys, requests, paced, fills, cluster);
    }
}
