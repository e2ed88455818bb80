package io.tallis.testing;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/// Finds free ports of the loopback interface for nodes to reach each other, each with the second port that a node
/// uses.
///
/// They are below the range from which the system takes ports for outgoing connections, and each JVM that runs tests
/// has a range of its own: nothing takes a port between the time it is found free and the time a node listens.
public final class ClusterPorts {
    private static final int OFFSET_OF_SECOND_PORT = 100;
    private static final int LOWEST = 12_000;
    private static final int PORTS_PER_FORK = 2_000;
    private static final int FORK = Integer.getInteger("surefire.forkNumber", 0);
    private static final Random RANDOM = new Random();

    private ClusterPorts() {}

    public static int free() throws IOException {
        return free(1)[0];
    }

    /// This many, and no port of one node is the first or second port of another.
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
            int port = LOWEST + FORK * PORTS_PER_FORK + RANDOM.nextInt(PORTS_PER_FORK - OFFSET_OF_SECOND_PORT);
            int second = port + OFFSET_OF_SECOND_PORT;
            if (!given.contains(port) && !given.contains(second) && isFree(port) && isFree(second)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) throws IOException {
        try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return true;
        } catch (BindException _) {
            return false;
        }
    }
}
