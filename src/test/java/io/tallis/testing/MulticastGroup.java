package io.tallis.testing;

import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.concurrent.ThreadLocalRandom;

/// A multicast address at which nodes of one test meet, and no others.
public record MulticastGroup(String address, int port) {
    /// One that nobody else draws, as good as always, with a port that is free.
    public static MulticastGroup fresh() {
        var random = ThreadLocalRandom.current();
        try (var socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            String address = "239.77." + random.nextInt(1, 255) + "." + random.nextInt(1, 255);
            return new MulticastGroup(address, socket.getLocalPort());
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// As the setting `cluster-multicast` has it.
    public String setting() {
        return address + ":" + port;
    }
}
