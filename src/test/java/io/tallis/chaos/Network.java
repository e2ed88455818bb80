package io.tallis.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The network that nodes run in, which can be cut between them.
interface Network extends AutoCloseable {
    /// `host` is the address for clients, `wrapper` the command that runs a node in its network.
    record Place(String host, List<String> wrapper, List<String> settings) {}

    /// One direction between two nodes.
    record Way(int from, int to) {
        @Override
        public String toString() {
            return from + "->" + to;
        }
    }

    Place place(int node);

    /// All directions between a node and the others.
    static Set<Way> allWays(int node, int nodes) {
        Set<Way> ways = new HashSet<>();
        for (int other = 0; other < nodes; other++) {
            if (other != node) {
                ways.add(new Way(node, other));
                ways.add(new Way(other, node));
            }
        }
        return ways;
    }

    /// The settings of a cluster that is encrypted with a key in `dir`, or not at all.
    static List<String> secrecy(boolean encrypted, Path dir) throws IOException {
        if (!encrypted) {
            return List.of("--cluster-insecure", "yes");
        }
        Path key = dir.resolve("cluster.key");
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Files.writeString(Files.createFile(key, owner), "c4".repeat(32));
        return List.of("--cluster-key-file", key.toString());
    }

    boolean canCut();

    /// Drops all packets from one node to another until [#restore].
    void cut(Way way);

    void restore(Way way);

    @Override
    void close();
}
