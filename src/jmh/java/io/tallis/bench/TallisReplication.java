package io.tallis.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SplittableRandom;

/// Nodes of one cluster, which meet by multicast on the loopback interface and all take writes.
record TallisReplication(TallisServer server, List<String> options) implements Replication {
    /// The least that can be set.
    private static final List<String> QUIET = List.of("--cluster-rotation-rate", "1kb");

    /// Longer than any join is to take: a node that gave up would pass for one that is done.
    private static final String JOIN_TIMEOUT_SECONDS = "170";

    /// A cluster whose name and address nobody else on this machine has.
    static TallisReplication of(TallisServer server) {
        SplittableRandom random = new SplittableRandom();
        String address = "239.77." + random.nextInt(1, 255) + "." + random.nextInt(1, 255) + ":"
                + random.nextInt(20_000, 40_000);
        return new TallisReplication(
                server,
                List.of(
                        "--cluster-name",
                        "bench-" + Long.toHexString(random.nextLong()),
                        "--cluster-multicast",
                        address,
                        "--cluster-port",
                        "0",
                        "--cluster-join-timeout",
                        JOIN_TIMEOUT_SECONDS,
                        "--enable-debug-command",
                        "local"));
    }

    @Override
    public ServerKind next(List<Subject> members) {
        return new ServerWithOptions(server, options);
    }

    @Override
    public Replication quiet() {
        List<String> quiet = new ArrayList<>(options);
        quiet.addAll(QUIET);
        return new TallisReplication(server, List.copyOf(quiet));
    }

    @Override
    public List<Subject> writers(List<Subject> members) {
        return List.copyOf(members);
    }

    @Override
    public boolean joined(Subject member) {
        return member.server().admin().info("node_state").equals("ready");
    }

    @Override
    public long bytesToJoin(Subject member) {
        return Long.parseLong(member.server().admin().info("pulled_bytes"));
    }

    @Override
    public OptionalDouble secondsOfTransfer(Subject member) {
        long millis = Long.parseLong(member.server().admin().info("pull_ms"));
        if (millis == 0) {
            throw new BenchException("the member has begun another pull since it joined");
        }
        return OptionalDouble.of(millis / 1e3);
    }
}
