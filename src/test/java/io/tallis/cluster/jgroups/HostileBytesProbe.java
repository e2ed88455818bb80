package io.tallis.cluster.jgroups;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tallis.cluster.jgroups.TestNode.Network;
import io.tallis.testing.ClusterPorts;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.Socket;
import java.util.HexFormat;

/// A process with two nodes whose ports get packets of 14 bytes that claim 2 GB, as a datagram to the multicast group
/// and on a connection behind the hello of JGroups. Prints that the nodes still work.
public final class HostileBytesProbe {
    static final String STILL_WORKS = "still works";

    private static final byte[] CLAIM = HexFormat.of().parseHex("294700000000000000007fffffff");

    /// `bela`, version, length of the address, 127.0.0.1, port 1.
    private static final byte[] JGROUPS_HELLO =
            HexFormat.of().parseHex("62656c61" + "2947" + "0007" + "047f0000010001");

    private HostileBytesProbe() {}

    public static void main(String... stack) throws Exception {
        Network network = Network.fresh();
        int[] ports = ClusterPorts.free(2);
        boolean tcp = stack[0].equals("tcp");
        try (var one = new TestNode(tcp ? network.tcp(ports[0], ports) : network.udp());
                var other = new TestNode(tcp ? network.tcp(ports[1], ports) : network.udp())) {
            TestNode.awaitOneView(one, other);
            for (int i = 0; i < 5; i++) {
                if (tcp) {
                    connect(ports[0]);
                } else {
                    multicast(network);
                }
            }
            Thread.sleep(500);
            other.transport.multicast("hello".getBytes(UTF_8));
            one.awaitFrames(1);
            System.out.println(STILL_WORKS);
        }
        System.exit(0);
    }

    private static void multicast(Network network) throws IOException {
        try (var socket = new MulticastSocket()) {
            socket.setTimeToLive(0);
            socket.setNetworkInterface(NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress()));
            InetAddress group = InetAddress.getByName(network.multicast().getHostString());
            socket.send(new DatagramPacket(
                    CLAIM, CLAIM.length, group, network.multicast().getPort()));
        }
    }

    private static void connect(int port) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(JGROUPS_HELLO);
            socket.getOutputStream().write(new byte[] {0, 0, 0, (byte) CLAIM.length});
            socket.getOutputStream().write(CLAIM);
            socket.setSoTimeout(2000);
            socket.getInputStream().read();
        } catch (IOException closed) {
            // The node has hung up.
        }
    }
}
