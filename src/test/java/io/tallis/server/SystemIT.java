package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.server.RealCluster.Stack;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `SYSTEM`, `ROLE`, `RAW` and `INFO` show on three real nodes while nothing fails.
final class SystemIT {
    private static final Pattern CLUSTER_ID = Pattern.compile("cluster_id:[0-9a-f]{32}\\s");

    @TempDir
    private static Path dir;

    private static RealCluster cluster;

    @BeforeAll
    static void startNodesThatHaveCounted() throws IOException {
        cluster = RealCluster.start(dir, Stack.UDP);
        cluster.call(0, "INCRBY", "visits", "1");
        cluster.call(1, "INCRBY", "visits", "20");
        cluster.call(2, "DECRBY", "visits", "300");
        cluster.awaitValue("visits", -279, 0, 1, 2);
    }

    @AfterAll
    static void stopNodes() {
        cluster.close();
    }

    @Test
    void nodes_knowEachOther() {
        for (int asked = 0; asked < RealCluster.NODES; asked++) {
            for (int node = 0; node < RealCluster.NODES; node++) {
                String address = "address, 127.0.0.1:" + cluster.process(node).port();
                String known = "\\[name, node-" + node + ", uuid, [0-9a-f-]{36}, " + address
                        + ", state, ready, present, 1, starts, 1, session, " + session(node)
                        + ", http, , away_seconds, 0\\]";
                cluster.awaitReply(asked, reply -> reply.matches(".*" + known + ".*"), "SYSTEM", "NODES");
            }
        }
    }

    /// The session, which `INFO` pads to the length of Redis's ids.
    private static String session(int node) {
        return field(node, "master_replid").substring(0, 32);
    }

    private static String field(int node, String name) {
        return cluster.call(node, "INFO", "replication")
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void log_hasTheNodesThatJoined() {
        for (int node = 0; node < RealCluster.NODES; node++) {
            String session = session(node).substring(0, 8);
            String text = "text, reaches node-" + node + " (session " + session + ")]";
            cluster.awaitReply((node + 1) % RealCluster.NODES, reply -> reply.contains(text), "SYSTEM", "GETLOG");
        }
    }

    @Test
    void log_ofOneEvent_isTheNewest() {
        assertThat(cluster.call(0, "SYSTEM", "GETLOG", "1").split("text, ", -1)).hasSize(2);
    }

    @Test
    void digest_ofEqualCounters_isEqual() {
        cluster.call(0, "INCR", "seen");
        String before = cluster.call(0, "SYSTEM", "DIGEST");
        cluster.call(1, "INCR", "seen");
        cluster.awaitValue("seen", 2, 0, 1, 2);

        String digest = cluster.call(0, "SYSTEM", "DIGEST");

        assertThat(digest).matches("\\[digest, [0-9a-f]{40}, cells, \\d+]").isNotEqualTo(before);
        assertThat(cluster.call(1, "SYSTEM", "DIGEST")).isEqualTo(digest);
        assertThat(cluster.call(2, "SYSTEM", "DIGEST")).isEqualTo(digest);
    }

    @Test
    void role_hasPeersAndTheirOffsets() {
        cluster.call(0, "INCR", "role");
        String head = field(0, "master_repl_offset");
        String one = "\\[127.0.0.1, " + cluster.process(1).port() + ", (\\d+)]";
        String two = "\\[127.0.0.1, " + cluster.process(2).port() + ", (\\d+)]";
        String either = "(" + one + ", " + two + "|" + two + ", " + one + ")";

        assertThat(Long.parseLong(head)).isPositive();
        cluster.awaitReply(
                0, reply -> reply.matches("\\[master, \\d+, \\[" + either + "]]") && allAreAt(reply), "ROLE");
    }

    /// Whether both others have all changes of the node, by `ROLE`.
    private static boolean allAreAt(String role) {
        String head = role.split(", ", 3)[1];
        return role.split(", " + head + "]", -1).length == RealCluster.NODES;
    }

    @Test
    void info_hasTheClusterIdAndTheLagOfPeers() {
        cluster.awaitReply(
                0,
                info -> info.contains("connected_slaves:2")
                        && info.contains("node_state:ready")
                        && info.contains("node_complete:1")
                        && CLUSTER_ID.matcher(info).find()
                        && hasPeer(info, 1)
                        && hasPeer(info, 2),
                "INFO",
                "replication");
    }

    private static boolean hasPeer(String info, int node) {
        String line = "peer\\d:name=node-" + node + ",session=" + session(node)
                + ",state=ready,lag_frames=0,lag_ms=0,bytes_in=[1-9]\\d*,bytes_out=[1-9]\\d*,last_contact_ms=\\d+,clock_ahead_ms=-?\\d+,"
                + "version=[^,]+,uptime_in_seconds=\\d+,ops_per_sec=\\d+,agrees=\\w+";
        return info.lines().anyMatch(each -> each.matches(line));
    }

    @Test
    void raw_hasTheNodesThatCounted() {
        for (int asked = 0; asked < RealCluster.NODES; asked++) {
            assertThat(cluster.call(asked, "PNCOUNT", "RAW", "visits"))
                    .as("on node " + asked)
                    .matches("\\[(node-0, 1|node-1, 20|node-2, -300|, ){5}]");
        }
    }

    @Test
    void forget_ofAReachableNode_isRefused() {
        assertThat(cluster.call(0, "SYSTEM", "FORGET", "node-1"))
                .isEqualTo("-ERR node 'node-1' is running; stop it first. SYSTEM FORGET takes only a node that"
                        + " has left or is unreachable");
        assertThat(cluster.call(0, "SYSTEM", "FORGET", "nobody"))
                .isEqualTo("-ERR no known node has the name or UUID 'nobody'");
    }

    @Test
    void hold_refusesClients_untilReady_andTakesInWhatOthersCount() {
        try {
            assertThat(cluster.call(1, "SYSTEM", "HOLD")).isEqualTo("OK");

            assertThat(cluster.call(1, "GET", "visits"))
                    .isEqualTo("-LOADING An operator said SYSTEM HOLD: the node serves no client until SYSTEM READY.");
            cluster.awaitReply(1, reply -> reply.contains("node_state:held"), "INFO", "replication");
            cluster.awaitReply(0, reply -> reply.contains("held"), "SYSTEM", "NODES");
            assertThat(cluster.call(0, "INCR", "while-held")).isEqualTo("1");
            assertThat(cluster.call(0, "WAIT", "2", "10000")).isEqualTo("2");
        } finally {
            assertThat(cluster.call(1, "SYSTEM", "READY")).isEqualTo("OK");
        }
        assertThat(cluster.call(1, "GET", "while-held")).isEqualTo("1");
        cluster.awaitReply(1, reply -> reply.contains("node_state:ready"), "INFO", "replication");
        cluster.awaitReply(0, reply -> !reply.contains("held"), "SYSTEM", "NODES");
    }

    @Test
    void ready_ofANodeThatServes_changesNothing() {
        assertThat(cluster.call(1, "SYSTEM", "READY")).isEqualTo("OK");
        assertThat(cluster.call(1, "INFO", "replication")).contains("node_state:ready");
    }
}
