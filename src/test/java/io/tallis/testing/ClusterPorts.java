package io.tallis.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;

/// Ports of the loopback interface that are free for nodes to talk to each other, together with the second one that
/// each node uses.
public final class ClusterPorts {
    private static final int OFFSET_OF_SECOND_PORT = 100;
    private static final int MOST_PORT = 65_535;

    private ClusterPorts() {}

    public static int free() throws IOException {
        return free(1)[0];
    }

    public static int[] free(int count) throws IOException {
        Set<Integer> free = new HashSet<>();
        while (free.size() < count) {
            try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                int port = socket.getLocalPort();
                if (port + OFFSET_OF_SECOND_PORT <= MOST_PORT && !free.contains(port - OFFSET_OF_SECOND_PORT)) {
                    free.add(port);
                }
            }
        }
        return free.stream().mapToInt(Integer::intValue).toArray();
    }
}
