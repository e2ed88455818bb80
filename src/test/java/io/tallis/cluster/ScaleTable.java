package io.tallis.cluster;

import io.tallis.cluster.SmallCluster.Node;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/// Prints the measured table of `replication.md` of what clusters of several sizes send, receive and keep: all nodes in
/// this process, in simulated time, without JGroups, whose own traffic comes on top. Takes some minutes.
public final class ScaleTable {
    private static final List<Integer> SIZES = List.of(3, 16, 64);
    private static final int SECONDS = 5;
    private static final int CHANGES_PER_SECOND = 20;

    /// The heap that an entry of a vector takes: of the map (32), its place in the table (8), the id (24), what is
    /// known (24).
    private static final int BYTES_PER_ENTRY = 88;

    private static final Duration A_MOMENT = Duration.ofMillis(50);

    private ScaleTable() {}

    public static void main(String... arguments) {
        PrintStream out = System.out;
        out.println("| nodes | quiet: out, in (kB/s) | 20 changes a second each: out, in (kB/s) | vectors kept (kB) |"
                + " agreed after the last change (ms) |");
        out.println("|---|---|---|---|---|");
        for (int size : SIZES) {
            out.println(row(size));
        }
    }

    private static String row(int size) {
        SmallCluster cluster = new SmallCluster();
        for (int i = 0; i < size; i++) {
            cluster.start();
        }
        cluster.connect();
        cluster.pass(Duration.ofSeconds(10));
        long before = bytesSent(cluster);
        cluster.pass(Duration.ofSeconds(SECONDS));
        double quiet = (bytesSent(cluster) - before) / 1e3 / SECONDS / size;
        before = bytesSent(cluster);
        for (int i = 0; i < SECONDS * CHANGES_PER_SECOND; i++) {
            for (Node node : cluster.nodes) {
                node.add("key-" + node.session().high() + "-" + i, 1);
            }
            cluster.pass(Duration.ofSeconds(1).dividedBy(CHANGES_PER_SECOND));
        }
        double busy = (bytesSent(cluster) - before) / 1e3 / SECONDS / size;
        cluster.nodes.getFirst().add("last", 1);
        long millis = 0;
        while (!agree(cluster)) {
            cluster.pass(Duration.ofMillis(1));
            millis++;
            if (millis > A_MOMENT.toMillis()) {
                throw new IllegalStateException(size + " nodes do not agree");
            }
        }
        double vectors = (double) size * size * BYTES_PER_ENTRY / 1e3;
        return String.format(
                Locale.ROOT,
                "| %d | %.2f, %.1f | %.2f, %.1f | %.0f | %d |",
                size,
                quiet,
                quiet * (size - 1),
                busy,
                busy * (size - 1),
                vectors,
                millis);
    }

    private static boolean agree(SmallCluster cluster) {
        return cluster.nodes.stream().allMatch(node -> node.value("last") == 1);
    }

    private static long bytesSent(SmallCluster cluster) {
        return cluster.nodes.stream().mapToLong(Node::bytesSent).sum();
    }
}
