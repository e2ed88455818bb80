package io.tallis.testing;

import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.concurrent.ThreadLocalRandom;

/// A multicast address for the nodes of one test.
public record MulticastGroup(String address, int port) {
    /// A random address, which no other test uses except by unlikely chance, with a free port.
    public static MulticastGroup fresh() {
        var random = ThreadLocalRandom.current();
        try (var socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            String address = "239.77." + random.nextInt(1, 255) + "." + random.nextInt(1, 255);
            return new MulticastGroup(address, socket.getLocalPort());
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The value for the setting `cluster-multicast`.
    public String setting() {
        return address + ":" + port;
    }
}
