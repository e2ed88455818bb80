package io.tallis.testing;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/// Free ports of the loopback interface for cluster traffic.
///
/// They are below the range from which the system takes ports for outgoing connections, each JVM that runs tests has a
/// range of its own, and no port is given twice before the range ends. So nothing takes a port between the time it is
/// found free and the time a node listens, or while a node is down that will start again.
public final class ClusterPorts {
    private static final int LOWEST = 12_000;
    private static final int PORTS_PER_FORK = 2_000;

    /// The build gives each of its JVMs a number from 1; tests started otherwise have none.
    private static final int FORK = Integer.getInteger("surefire.forkNumber", 0);

    private static final AtomicInteger NEXT = new AtomicInteger(new Random().nextInt(PORTS_PER_FORK));

    private ClusterPorts() {}

    public static int free() throws IOException {
        return free(1)[0];
    }

    /// Several different ports.
    public static int[] free(int count) throws IOException {
        int[] free = new int[count];
        for (int found = 0; found < count; ) {
            int port = LOWEST + FORK * PORTS_PER_FORK + NEXT.getAndIncrement() % PORTS_PER_FORK;
            if (isFree(port)) {
                free[found++] = port;
            }
        }
        return free;
    }

    private static boolean isFree(int port) throws IOException {
        try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return true;
        } catch (BindException _) {
            return false;
        }
    }
}
