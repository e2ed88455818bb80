package io.tallis.cluster.jgroups;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tallis.cluster.jgroups.TestNode.Network;
import io.tallis.testing.ClusterPorts;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;

/// A process with two nodes that are attacked, and that prints whether they still work. The argument says how:
///
/// * `udp`: datagrams of 14 bytes to the multicast group, each of which claims 2 GB;
/// * `tcp`: such a packet on a connection, behind the hello of JGroups;
/// * `descriptors`: a connection when the process may open no more files.
public final class HostileBytesProbe {
    static final String STILL_WORKS = "still works";

    private static final byte[] CLAIM = HexFormat.of().parseHex("294700000000000000007fffffff");

    /// `bela`, version, length of the address, 127.0.0.1, port 1.
    private static final byte[] JGROUPS_HELLO =
            HexFormat.of().parseHex("62656c61" + "2947" + "0007" + "047f0000010001");

    private static final int MOST_DESCRIPTORS = 2_000;

    private HostileBytesProbe() {}

    public static void main(String... attack) throws Exception {
        Network network = Network.fresh();
        int[] ports = ClusterPorts.free(2);
        boolean udp = attack[0].equals("udp");
        try (var one = new TestNode(udp ? network.udp() : network.tcp(ports[0], ports));
                var other = new TestNode(udp ? network.udp() : network.tcp(ports[1], ports))) {
            TestNode.awaitOneView(one, other);
            switch (attack[0]) {
                case "udp" -> multicast(network);
                case "tcp" -> connect(ports[0]);
                default -> useUpDescriptors(ports[0]);
            }
            other.transport.multicast("hello".getBytes(UTF_8));
            one.awaitFrames(1);
            System.out.println(STILL_WORKS);
        }
        System.exit(0);
    }

    /// The last descriptor is taken by this end of a connection, so that the other end cannot be accepted. Once there
    /// are some again it is, and then closed by the node, as it says nothing.
    private static void useUpDescriptors(int port) throws IOException, InterruptedException {
        Deque<InputStream> files = new ArrayDeque<>();
        try {
            while (files.size() < MOST_DESCRIPTORS) {
                files.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException limit) {
            files.removeLast().close();
        }
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            Thread.sleep(500);
            for (InputStream file : files) {
                file.close();
            }
            socket.setSoTimeout(20_000);
            if (socket.getInputStream().read() >= 0) {
                throw new IllegalStateException("the node was to say nothing");
            }
        }
    }

    private static void multicast(Network network) throws IOException {
        try (var socket = new MulticastSocket()) {
            socket.setTimeToLive(0);
            socket.setNetworkInterface(NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress()));
            InetAddress group = InetAddress.getByName(network.multicast().getHostString());
            for (int i = 0; i < 5; i++) {
                socket.send(new DatagramPacket(
                        CLAIM, CLAIM.length, group, network.multicast().getPort()));
            }
        }
    }

    private static void connect(int port) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(JGROUPS_HELLO);
            socket.getOutputStream().write(new byte[] {0, 0, 0, (byte) CLAIM.length});
            socket.getOutputStream().write(CLAIM);
            socket.setSoTimeout(20_000);
            socket.getInputStream().read();
        } catch (IOException closed) {
            // The node has hung up.
        }
    }
}
