package io.tallis.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;

/// Free ports of the loopback interface, for nodes to talk to each other.
public final class ClusterPorts {
    private ClusterPorts() {}

    public static int free() throws IOException {
        return free(1)[0];
    }

    /// As many different ones as that.
    public static int[] free(int count) throws IOException {
        Set<Integer> free = new HashSet<>();
        while (free.size() < count) {
            try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                free.add(socket.getLocalPort());
            }
        }
        return free.stream().mapToInt(Integer::intValue).toArray();
    }
}
