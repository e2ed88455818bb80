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

    /// So many that no two nodes meet at a port, be it the first of one and the second of another.
    public static int[] free(int count) throws IOException {
        int[] free = new int[count];
        Set<Integer> given = new HashSet<>();
        for (int i = 0; i < count; i++) {
            free[i] = freeBeside(given);
            given.add(free[i]);
            given.add(free[i] + OFFSET_OF_SECOND_PORT);
        }
        return free;
    }

    private static int freeBeside(Set<Integer> given) throws IOException {
        while (true) {
            try (var socket = listen(0)) {
                int port = socket.getLocalPort();
                int second = port + OFFSET_OF_SECOND_PORT;
                if (!given.contains(port) && !given.contains(second) && isFree(second)) {
                    return port;
                }
            }
        }
    }

    private static boolean isFree(int port) {
        if (port > MOST_PORT) {
            return false;
        }
        try (var _ = listen(port)) {
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    private static ServerSocket listen(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    }
}
