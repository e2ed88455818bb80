package io.tallis.bench;

import java.time.Duration;
import java.util.List;

/// How much is sent and stored when groups of servers are measured.
///
/// @param backgrounds requests a second that all writers together take while visibility is measured; the last of them
///     is what one member takes while another joins
/// @param probes how many increments are watched for in one sample of visibility
/// @param changed how many counters change while a member is absent
/// @param absence how long it is absent at least
/// @param writes how many requests one throughput sample takes; eight chunks of whole pipelines
/// @param quietKeys how many counters a quiet group holds
/// @param window for how long it is watched, and a group with clients before another member joins
record ClusterSizes(
        List<Integer> backgrounds,
        int probes,
        List<Integer> changed,
        Duration absence,
        long writes,
        int quietKeys,
        Duration window) {

    /// How many requests a connection sends before it waits for replies.
    static final int PIPELINE = 16;

    /// The parts in which a throughput sample is sent.
    static final int CHUNKS = 8;

    static ClusterSizes full() {
        return new ClusterSizes(
                List.of(1_000, 20_000),
                10_000,
                List.of(1_000, 1_000_000),
                Duration.ofSeconds(5),
                4_000_000,
                1_000,
                Duration.ofSeconds(10));
    }

    static ClusterSizes smoke() {
        return new ClusterSizes(
                List.of(1_000), 200, List.of(10_000), Duration.ofSeconds(2), 48_000, 1_000, Duration.ofSeconds(3));
    }
}
