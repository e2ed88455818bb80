package io.tallis.testing;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/// Free ports of the loopback interface for cluster traffic.
///
/// They are below the range from which the system takes ports for outgoing connections, and each JVM that runs tests
/// has a range of its own: nothing takes a port between the time it is found free and the time a node listens.
public final class ClusterPorts {
    private static final int LOWEST = 12_000;
    private static final int PORTS_PER_FORK = 2_000;
    private static final int FORK = Integer.getInteger("surefire.forkNumber", 0);
    private static final Random RANDOM = new Random();

    private ClusterPorts() {}

    public static int free() throws IOException {
        return free(1)[0];
    }

    /// Several different ports.
    public static int[] free(int count) throws IOException {
        Set<Integer> free = new TreeSet<>();
        while (free.size() < count) {
            int port = LOWEST + FORK * PORTS_PER_FORK + RANDOM.nextInt(PORTS_PER_FORK);
            if (isFree(port)) {
                free.add(port);
            }
        }
        return free.stream().mapToInt(Integer::intValue).toArray();
    }

    private static boolean isFree(int port) throws IOException {
        try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return true;
        } catch (BindException _) {
            return false;
        }
    }
}
