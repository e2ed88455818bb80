package io.tallis.cluster.jgroups;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.tallis.cluster.jgroups.PacketCipher.Kind;
import io.tallis.cluster.jgroups.TestNode.Network;
import io.tallis.runtime.Randomness;
import io.tallis.runtime.Threads;
import io.tallis.testing.ClusterPorts;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jgroups.protocols.TP;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What reaches the cluster port from others than nodes of the cluster: it must cost the node nothing that matters.
final class HostileBytesIT {
    /// Version, flags and type of a message of JGroups without addresses and headers, whose payload claims 2 GB.
    private static final byte[] CLAIM_OF_2_GB = HexFormat.of().parseHex("294700000000000000007fffffff");

    private static final long FEW_BYTES = 256 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Network network = Network.fresh();

    @TempDir
    Path dir;

    /// In a JVM as `scripts/tallis` starts it: the first failed allocation ends it.
    @ParameterizedTest
    @ValueSource(strings = {"udp", "tcp"})
    void packetThatClaimsMemory_doesNotEndTheNode(String stack) throws Exception {
        List<String> options = List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError");

        assertThat(Child.run(HostileBytesProbe.class, options, stack).requireSuccess())
                .contains(HostileBytesProbe.STILL_WORKS);
    }

    /// At the limit JGroups' acceptor would end.
    @Test
    void acceptor_withoutDescriptors_goesOnWhenThereAreSomeAgain() throws Exception {
        List<String> probe = Child.java(HostileBytesProbe.class, List.of(), "descriptors");
        List<String> limited = new ArrayList<>(List.of("sh", "-c", "ulimit -n 300; exec \"$@\"", "sh"));
        limited.addAll(probe);

        assertThat(Child.run(limited).requireSuccess())
                .contains(HostileBytesProbe.STILL_WORKS)
                .anyMatch(line -> line.contains("cannot accept connections"));
    }

    @Test
    void nodesWithDifferentKeys_areCountedAndNamedOnBothSides() {
        try (var one = new TestNode(network.udp(key("a")));
                var other = new TestNode(network.udp(key("b")))) {
            await().atMost(PATIENCE)
                    .until(() -> one.transport.packetsRefused() > 0 && other.transport.packetsRefused() > 0);

            for (TestNode node : List.of(one, other)) {
                assertThat(node.events).singleElement().asString().startsWith("refuses packets from 127.0.0.1: ");
                assertThat(node.transport.lastRefused()).isEqualTo("127.0.0.1");
            }
        }
    }

    /// Where only one of them knows the other.
    @Test
    void nodesWithDifferentKeys_areNamedOnBothSidesOverTcp() throws Exception {
        refuseEachOther(network, key("a"), network, key("b"));
    }

    @Test
    void clustersWithOneKey_areNamedOnBothSidesOverTcp() throws Exception {
        Path key = key("a");

        refuseEachOther(network, key, Network.fresh(), key);
    }

    private static void refuseEachOther(Network called, Path key, Network caller, Path otherKey) throws Exception {
        int[] ports = ClusterPorts.free(2);
        try (var one = new TestNode(called.tcp(key, ports[0], ports[0]));
                var other = new TestNode(caller.tcp(otherKey, ports[1], ports[0]))) {
            await().atMost(PATIENCE).until(() -> !one.events.isEmpty() && !other.events.isEmpty());

            assertThat(one.events).singleElement().asString().startsWith("refuses packets from 127.0.0.1: ");
            assertThat(other.events).singleElement().asString().startsWith("is refused by 127.0.0.1, ");
            assertThat(one.transport.packetsRefused()).isPositive();
        }
    }

    @Test
    void connectionsWithoutAHello_areFewAndClosedAfterAWhile() throws Exception {
        int port = ClusterPorts.free();
        List<Socket> silent = new ArrayList<>();
        try (var node = new TestNode(network.tcp(port, port))) {
            TestNode.awaitOneView(node);
            for (int i = 0; i < 2 * BoundedTcp.MOST_STRANGERS; i++) {
                silent.add(new Socket(InetAddress.getLoopbackAddress(), port));
            }
            await().atMost(PATIENCE).until(() -> isClosedByPeer(silent.getFirst()));
            assertThat(tcp(node).strangers()).isLessThanOrEqualTo(BoundedTcp.MOST_STRANGERS);

            await().atMost(PATIENCE).until(() -> tcp(node).strangers() == 0);
            for (Socket socket : silent) {
                assertThat(isClosedByPeer(socket)).isTrue();
            }
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void nodes_meetWhileStrangersHoldAllConnectionsThatTheyMay() throws Exception {
        int[] ports = ClusterPorts.free(2);
        try (var one = new TestNode(network.tcp(ports[0], ports))) {
            TestNode.awaitOneView(one);
            try (var _ = new Strangers(ports[0])) {
                await().until(() -> tcp(one).strangers() >= BoundedTcp.MOST_STRANGERS);
                try (var other = new TestNode(network.tcp(ports[1], ports))) {
                    TestNode.awaitOneView(one, other);
                }
            }
        }
    }

    /// Opens connections as long as it lives, and says nothing on them.
    private static final class Strangers implements AutoCloseable {
        private final List<Socket> sockets = new CopyOnWriteArrayList<>();
        private final Thread thread;
        private volatile boolean closed;

        Strangers(int port) {
            thread = Threads.start("strangers", () -> {
                while (!closed) {
                    try {
                        sockets.add(new Socket(InetAddress.getLoopbackAddress(), port));
                        Thread.sleep(1);
                    } catch (IOException | InterruptedException refused) {
                        // The next may be accepted.
                    }
                }
            });
        }

        @Override
        public void close() throws IOException {
            closed = true;
            await().until(() -> !thread.isAlive());
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    /// JGroups would replace the connection to that node by the stranger's.
    @Test
    void helloInTheNameOfANode_doesNotTakeItsConnection() throws Exception {
        int[] ports = ClusterPorts.free(2);
        try (var one = new TestNode(network.tcp(key("a"), ports[0], ports));
                var other = new TestNode(network.tcp(key("a"), ports[1], ports));
                var forger = new Socket(InetAddress.getLoopbackAddress(), ports[0])) {
            TestNode.awaitOneView(one, other);
            String before = tcp(one).printConnections();

            forger.getOutputStream().write(hello(guard(key("b")), ports[1]));

            await().atMost(PATIENCE).until(() -> isClosedByPeer(forger));
            assertThat(one.transport.packetsRefused()).isPositive();
            assertThat(sockets(tcp(one).printConnections())).isEqualTo(sockets(before));
        }
    }

    private static List<String> sockets(String connections) {
        return connections
                .lines()
                .map(line -> line.replaceAll("> .*", ""))
                .sorted()
                .toList();
    }

    private static byte[] hello(PacketGuard guard, int port) throws IOException {
        var out = new ByteArrayDataOutputStream();
        new IpAddress(InetAddress.getLoopbackAddress(), port).writeTo(out);
        byte[] padded = Arrays.copyOf(Arrays.copyOf(out.buffer(), out.position()), 23);
        return guard.seal(Kind.HELLO, padded, 0, padded.length);
    }

    private static boolean isClosedByPeer(Socket socket) throws IOException {
        socket.setSoTimeout(100);
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException stillOpen) {
            return false;
        }
    }

    /// Valid packets with bytes changed, cut, and lengths replaced, into the ways in of a node without a key and with
    /// one. Nothing of it may reach JGroups, which would believe it.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void mutatedDatagrams_areRefusedWithoutMemoryForWhatTheyClaim(boolean keyed) throws Exception {
        JGroupsSettings settings = network.udp(keyed ? key("a") : null);
        Random random = new Random(17);
        try (var node = new TestNode(settings);
                var other = new TestNode(settings)) {
            TestNode.awaitOneView(node, other);
            TP transport = node.transport.channel().getProtocolStack().getTransport();
            PacketGuard peer = PacketGuard.of(settings, _ -> {});
            IpAddress from = new IpAddress("127.0.0.1", 9);
            long before = allocated();
            long refused = node.transport.packetsRefused();

            int packets = 20_000;
            for (int i = 0; i < packets; i++) {
                byte[] packet = mutated(peer, random);
                transport.receive(from, packet, 0, packet.length);
            }

            assertThat(allocated() - before).isLessThan(FEW_BYTES);
            assertThat(node.transport.packetsRefused() - refused).isGreaterThanOrEqualTo(packets);
            assertStillWorks(node, other);
        }
    }

    /// The same through sockets, so that it passes the threads that read them.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void mutatedBytes_onEveryPort_leaveTheNodesAtWork(boolean keyed) throws Exception {
        Path key = keyed ? key("a") : null;
        int[] ports = ClusterPorts.free(2);
        Random random = new Random(23);
        try (var udp = new TestNode(network.udp(key));
                var otherUdp = new TestNode(network.udp(key));
                var tcp = new TestNode(network.tcp(key, ports[0], ports));
                var otherTcp = new TestNode(network.tcp(key, ports[1], ports));
                var datagrams = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            TestNode.awaitOneView(udp, otherUdp);
            TestNode.awaitOneView(tcp, otherTcp);
            PacketGuard peer = PacketGuard.of(network.udp(key), _ -> {});
            InetSocketAddress unicast = address(udp);

            int packets = 150;
            for (int i = 0; i < packets; i++) {
                byte[] packet = mutated(peer, random);
                datagrams.send(new DatagramPacket(packet, packet.length, unicast));
                stream(ports[0], packet);
                stream(ports[0], behindHello(peer, packet));
            }

            await().atMost(PATIENCE).until(() -> udp.transport.packetsRefused() == packets);
            assertThat(tcp.transport.packetsRefused()).isPositive();
            assertStillWorks(udp, otherUdp);
            assertStillWorks(tcp, otherTcp);
        }
    }

    private static InetSocketAddress address(TestNode node) {
        IpAddress own = (IpAddress) node.transport
                .channel()
                .down(new org.jgroups.Event(org.jgroups.Event.GET_PHYSICAL_ADDRESS, node.transport.address()));
        return new InetSocketAddress(own.getIpAddress(), own.getPort());
    }

    private static void stream(int port, byte[] bytes) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(bytes);
        } catch (IOException closedAlready) {
            // As it should.
        }
    }

    /// A hello that is accepted, from an address that no node has, and then the packet behind lengths right and wrong.
    private static byte[] behindHello(PacketGuard peer, byte[] packet) throws IOException {
        byte[] hello = hello(peer, 1);
        int length = packet.length % 3 == 0 ? Integer.MAX_VALUE : packet.length % 3 == 1 ? -7 : packet.length;
        return ByteBuffer.allocate(hello.length + 4 + packet.length)
                .put(hello)
                .putInt(length)
                .put(packet)
                .array();
    }

    private static byte[] mutated(PacketGuard peer, Random random) {
        byte[] message = random.nextBoolean() ? CLAIM_OF_2_GB : bytes(random, random.nextInt(300));
        byte[] packet = peer.seal(Kind.MESSAGE, message, 0, message.length);
        return switch (random.nextInt(5)) {
            case 0 -> message;
            case 1 -> Arrays.copyOf(packet, random.nextInt(packet.length));
            case 2 -> {
                ByteBuffer.wrap(packet).putInt(random.nextInt(packet.length - 3), Integer.MAX_VALUE);
                yield packet;
            }
            case 3 -> Arrays.copyOf(packet, packet.length + 1 + random.nextInt(50));
            default -> {
                packet[random.nextInt(packet.length)] ^= (byte) (1 + random.nextInt(255));
                yield packet;
            }
        };
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    private static void assertStillWorks(TestNode one, TestNode other) {
        await().atMost(PATIENCE).until(() -> {
            one.transport.multicast("hello".getBytes(UTF_8));
            other.transport.multicast("hello".getBytes(UTF_8));
            return one.listener.count() > 0 && other.listener.count() > 0;
        });
    }

    private static BoundedTcp tcp(TestNode node) {
        return (BoundedTcp) node.transport.channel().getProtocolStack().getTransport();
    }

    private static PacketGuard guard(Path key) {
        return PacketGuard.of(Network.fresh().udp(key), _ -> {});
    }

    private Path key(String name) {
        Path file = dir.resolve(name);
        if (!file.toFile().exists()) {
            ClusterKey.generate(file, Randomness.secure());
        }
        return file;
    }
}
