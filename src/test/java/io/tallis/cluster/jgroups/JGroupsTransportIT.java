package io.tallis.cluster.jgroups;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.cluster.jgroups.Listener.Arrival;
import io.tallis.cluster.jgroups.TestNode.Network;
import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Randomness;
import io.tallis.testing.ClusterPorts;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.MulticastSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.View;
import org.jgroups.protocols.BasicTCP;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.UDP;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.stack.ProtocolStack;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Real stacks in one process, on the loopback interface.
final class JGroupsTransportIT {
    /// Longer than discovery and a merge take.
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(2);

    private final Network network = Network.fresh();

    @TempDir
    Path dir;

    @Test
    void view_ofNodesThatMeetByMulticast_namesTheirReplicaIds() {
        try (var one = new TestNode(network.udp());
                var other = new TestNode(network.udp());
                var third = new TestNode(network.udp())) {
            TestNode.awaitOneView(one, other, third);
        }
    }

    @Test
    void view_ofNodesThatMeetBySeeds_namesTheirReplicaIds() throws IOException {
        int[] ports = ClusterPorts.free(2);
        int port = ports[0];
        int otherPort = ports[1];
        try (var one = new TestNode(network.tcp(port, port, otherPort));
                var other = new TestNode(network.tcp(otherPort, port))) {
            TestNode.awaitOneView(one, other);
        }
    }

    @Test
    void nodes_thatKnowOneSeedWhichIsNotTheirCoordinator_allMeet() throws IOException {
        int[] ports = ClusterPorts.free(4);
        int port = ports[0];
        JGroupsSettings seed = network.tcp(port, port);
        TestNode first = new TestNode(seed);
        try (var second = new TestNode(network.tcp(ports[1], port))) {
            TestNode.awaitOneView(first, second);
            first.close();
            try (var again = new TestNode(seed);
                    var third = new TestNode(network.tcp(ports[2], port));
                    var fourth = new TestNode(network.tcp(ports[3], port))) {
                TestNode.awaitOneView(second, again, third, fourth);
            }
            assertThat(second.events).isEmpty();
        }
    }

    @Test
    void view_ofNodesThatMeetByAName_namesTheirReplicaIds() throws IOException {
        int port = ClusterPorts.free();
        String dns = "localhost,127.0.0.2";
        try (var one = new TestNode(network.k8s("127.0.0.1", port, dns));
                var other = new TestNode(network.k8s("127.0.0.2", port, dns))) {
            TestNode.awaitOneView(one, other);
        }
    }

    /// Independent of routes and of the interface that the system picks.
    @Test
    void multicast_isSentByASocketThatLetsNothingLeaveTheMachine() throws Exception {
        try (JChannel one = channel()) {
            one.connect(network.cluster());

            UDP udp = one.getProtocolStack().findProtocol(UDP.class);

            assertThat(((MulticastSocket) udp.getValue("sock")).getTimeToLive()).isZero();
        }
    }

    @Test
    void multicast_reachesTheOthersAndNotItsSender() {
        try (var one = new TestNode(network.udp());
                var other = new TestNode(network.udp());
                var third = new TestNode(network.udp())) {
            TestNode.awaitOneView(one, other, third);

            one.transport.multicast("hello".getBytes(UTF_8));
            other.transport.multicast("and you".getBytes(UTF_8));

            assertThat(third.awaitFrames(2)).extracting(Arrival::from).containsExactlyInAnyOrder(one.id, other.id);
            assertThat(one.awaitFrames(1)).extracting(Arrival::from).containsExactly(other.id);
            assertThat(other.awaitFrames(1).getFirst().text()).isEqualTo("hello");
        }
    }

    @Test
    void send_ofManyFrames_keepsTheirOrder() {
        int frames = 2000;
        try (var one = new TestNode(network.udp());
                var other = new TestNode(network.udp())) {
            TestNode.awaitOneView(one, other);

            // No faster than they are acknowledged, or the rest would be dropped.
            for (int i = 1; i <= frames; i++) {
                one.transport.send(other.id, number(i - 1));
                if (i % (SendWindow.MOST_PIECES / 40) == 0) {
                    other.awaitFrames(i);
                }
            }

            List<Integer> arrived = other.awaitFrames(frames).stream()
                    .map(arrival -> arrival.frame().getInt(0))
                    .toList();
            assertThat(arrived).isEqualTo(IntStream.range(0, frames).boxed().toList());
        }
    }

    private static byte[] number(int i) {
        return ByteBuffer.allocate(4).putInt(i).array();
    }

    @Test
    void multicast_ofAFrameTooLongForADatagram_arrivesWhole() {
        byte[] frame = new byte[JGroupsTransport.LONGEST_MULTICAST * 20 + 1];
        for (int i = 0; i < frame.length; i++) {
            frame[i] = (byte) (i * 31);
        }
        try (var one = new TestNode(network.udp());
                var other = new TestNode(network.udp());
                var third = new TestNode(network.udp())) {
            TestNode.awaitOneView(one, other, third);

            one.transport.multicast(frame);

            assertThat(other.awaitFrames(1).getFirst().frame()).isEqualTo(ByteBuffer.wrap(frame));
            assertThat(third.awaitFrames(1).getFirst().frame()).isEqualTo(ByteBuffer.wrap(frame));
        }
    }

    /// The third node receives nothing, as if it hung. It still sends, so the others keep it, however slow this machine
    /// is.
    @Test
    void multicast_ofLongFrames_toAMemberThatHangs_keepsFewOfThem() throws Exception {
        int frames = 500;
        byte[] frame = new byte[JGroupsTransport.LONGEST_MULTICAST + 1];
        long most = SendWindow.MOST_BYTES / frame.length + 1;
        try (var one = new TestNode(network.udp());
                var other = new TestNode(network.udp());
                JChannel hung = channel()) {
            hung.connect(network.cluster());
            await().until(() ->
                    one.listener.view().size() == 3 && other.listener.view().size() == 3);
            hung.getProtocolStack()
                    .insertProtocol(new DISCARD().setUpDiscardRate(1), ProtocolStack.Position.ABOVE, UDP.class);

            for (int i = 1; i <= frames; i++) {
                one.transport.multicast(frame);
                if (i % 50 == 0) {
                    assertThat(other.awaitFrames(i)).hasSize(i);
                }
            }

            assertThat(one.listener.view()).hasSize(3);
            assertThat(one.transport.framesNotSent()).isBetween(frames - most - 10, frames - 10L);
        }
    }

    /// As in a pull, where the next frame is requested when the one before has arrived.
    @Test
    @Timeout(300)
    void send_ofOneFrameAfterTheOther_dropsNone() {
        int frames = 2 * SendWindow.MOST_PIECES;
        try (var one = new TestNode(network.udp());
                var other = new TestNode(network.udp())) {
            TestNode.awaitOneView(one, other);

            for (int i = 1; i <= frames; i++) {
                one.transport.send(other.id, number(i));
                while (other.listener.count() < i && one.transport.framesNotSent() == 0) {
                    Thread.onSpinWait();
                }
            }

            assertThat(one.transport.framesNotSent()).isZero();
            assertThat(other.listener.count()).isEqualTo(frames);
        }
    }

    @Test
    void send_toAMemberThatAcknowledgesNothing_keepsFewFrames() throws Exception {
        int frames = SendWindow.MOST_PIECES + 50;
        try (var one = new TestNode(network.udp());
                JChannel hung = channel()) {
            hung.connect(network.cluster());
            await().until(() -> one.listener.view().size() == 2);
            hung.getProtocolStack()
                    .insertProtocol(new DISCARD().discardAll(true), ProtocolStack.Position.ABOVE, UDP.class);
            ReplicaId to = one.listener.view().stream()
                    .filter(member -> !member.equals(one.id))
                    .findFirst()
                    .orElseThrow();

            for (int i = 0; i < frames; i++) {
                one.transport.send(to, new byte[1_000]);
            }

            assertThat(one.listener.view()).hasSize(2);
            assertThat(one.transport.framesNotSent()).isBetween(frames - SendWindow.MOST_PIECES - 10L, (long) frames);
        }
    }

    @Test
    void multicast_ofTheLongestDatagram_arrives() throws Exception {
        Path key = dir.resolve("key");
        ClusterKey.generate(key, Randomness.secure());
        try (var one = new TestNode(network.udp(key));
                var other = new TestNode(network.udp(key))) {
            TestNode.awaitOneView(one, other);

            one.transport.multicast(new byte[JGroupsTransport.LONGEST_MULTICAST]);

            assertThat(other.awaitFrames(1).getFirst().frame().remaining())
                    .isEqualTo(JGroupsTransport.LONGEST_MULTICAST);
        }
    }

    @Test
    void send_ofALongFrameToANodeThatIsNotInTheView_isDroppedAndCounted() {
        try (var one = new TestNode(network.udp())) {
            TestNode.awaitOneView(one);
            var other = new TestNode(network.udp());
            TestNode.awaitOneView(one, other);
            other.close();
            TestNode.awaitOneView(one);

            one.transport.send(other.id, new byte[1]);
            one.transport.send(other.id, new byte[JGroupsTransport.LONGEST_MULTICAST + 1]);

            assertThat(one.transport.framesNotSent()).isEqualTo(1);
        }
    }

    @Test
    void sendUnreliably_toAMember_arrivesThereAlone() {
        try (var one = new TestNode(network.udp());
                var other = new TestNode(network.udp());
                var third = new TestNode(network.udp())) {
            TestNode.awaitOneView(one, other, third);

            one.transport.sendUnreliably(other.id, "note".getBytes(UTF_8));

            assertThat(other.awaitFrames(1)).extracting(Arrival::text).containsExactly("note");
            assertThat(third.listener.frames()).isEmpty();
        }
    }

    /// Such as one that is back before the view has it again.
    @Test
    void sendUnreliably_toANodeThatIsNotInTheView_arrivesThere() throws Exception {
        try (var one = new TestNode(network.udp());
                var other = new TestNode(network.udp())) {
            TestNode.awaitOneView(one, other);
            GMS views = gms(one.transport.channel());

            views.installView(View.create(
                    one.transport.address(), views.view().getViewId().getId() + 1, one.transport.address()));
            one.transport.sendUnreliably(other.id, "note".getBytes(UTF_8));

            assertThat(other.awaitFrames(1)).extracting(Arrival::text).containsExactly("note");
        }
    }

    @Test
    void sendUnreliably_ofAFrameTooLongForADatagram_isDroppedAndCounted() {
        try (var one = new TestNode(network.udp());
                var other = new TestNode(network.udp())) {
            TestNode.awaitOneView(one, other);

            one.transport.sendUnreliably(other.id, new byte[JGroupsTransport.LONGEST_MULTICAST + 1]);

            assertThat(one.transport.framesNotSent()).isEqualTo(1);
        }
    }

    @Test
    void unreliableFrames_areHandledByTheThreadThatReceivesThem() {
        try (var one = new TestNode(network.udp());
                var other = new TestNode(network.udp())) {
            TestNode.awaitOneView(one, other);

            one.transport.multicast("news".getBytes(UTF_8));
            one.transport.sendUnreliably(other.id, "note".getBytes(UTF_8));
            one.transport.send(other.id, "letter".getBytes(UTF_8));

            assertThat(other.awaitFrames(3))
                    .allSatisfy(arrival -> assertThat(arrival.thread().contains("receiver"))
                            .isEqualTo(!arrival.text().equals("letter")));
        }
    }

    /// See [Workarounds.Merge].
    @Test
    void member_thatIsToldTwiceOfAView_isMergedAgainWhenAnotherLosesIt() throws Exception {
        try (JChannel one = channel();
                JChannel other = channel()) {
            one.connect(network.cluster());
            other.connect(network.cluster());
            await().until(() -> one.getView().size() == 2 && other.getView().size() == 2);

            gms(other).getDownProtocol().down(new Event(Event.TMP_VIEW, other.getView()));
            gms(one).installView(View.create(
                    one.getAddress(), one.getView().getViewId().getId() + 1, one.getAddress()));

            assertThat(one.getView().size()).isEqualTo(1);
            await().until(() -> one.getView().size() == 2 && one.getView().equals(other.getView()));
        }
    }

    /// See [Workarounds.Membership]. Its address is the lowest, so it would lead a group of joiners.
    @Test
    void joiner_whileTheCoordinatorHangs_makesNoGroupOfItsOwn() throws Exception {
        try (var leads = new TestNode(network.udp());
                var other = new TestNode(network.udp())) {
            TestNode.awaitOneView(leads, other);
            TestNode hangs = leads.id.equals(leader(leads)) ? leads : other;
            TestNode stays = hangs.equals(leads) ? other : leads;
            hangs.transport
                    .channel()
                    .getProtocolStack()
                    .insertProtocol(new DISCARD().discardAll(true), ProtocolStack.Position.ABOVE, UDP.class);

            try (var joiner = new TestNode(network.udp(), new ReplicaId(Long.MIN_VALUE, 1))) {
                TestNode.awaitOneView(stays, joiner);

                assertThat(joiner.listener.views()).isEqualTo(1);
            }
        }
    }

    private static ReplicaId leader(TestNode node) {
        UUID leader = (UUID) node.transport.channel().getView().getCoord();
        return new ReplicaId(leader.getMostSignificantBits(), leader.getLeastSignificantBits());
    }

    private JChannel channel() throws Exception {
        return TestNode.channel(network.udp());
    }

    private static GMS gms(JChannel channel) {
        return channel.getProtocolStack().findProtocol(GMS.class);
    }

    @Test
    void sending_withoutAConnection_isDroppedAndCounted() {
        var transport = new JGroupsTransport(new ReplicaId(1, 2), network.udp(), _ -> {});

        transport.multicast(new byte[1]);
        transport.close();
        transport.multicast(new byte[1]);

        assertThat(transport.framesNotSent()).isEqualTo(2);
    }

    /// After a cut the kernel would resume it long after the network is whole.
    @Test
    void connection_overWhichNothingArrives_isMadeAnew() throws Exception {
        int port = ClusterPorts.free();
        try (var silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                var _ = new TestNode(network.tcp(port, port, silent.getLocalPort()))) {
            silent.setSoTimeout(10_000);
            for (int connection = 1; connection <= 3; connection++) {
                try (Socket line = silent.accept()) {
                    line.setSoTimeout(10_000);
                    assertThat(line.getInputStream().transferTo(OutputStream.nullOutputStream()))
                            .isPositive();
                }
            }
        }
    }

    @Test
    void connection_overWhichMessagesArrive_stays() throws Exception {
        int[] ports = ClusterPorts.free(2);
        try (var one = TestNode.channel(network.tcp(ports[0], ports));
                var other = TestNode.channel(network.tcp(ports[1], ports))) {
            one.connect(network.cluster());
            other.connect(network.cluster());
            await().until(() -> one.getView().size() == 2 && other.getView().size() == 2);
            await().until(() -> !ends(one).isEmpty());
            await().during(LONG_ENOUGH).until(() -> true);
            List<String> before = ends(one);

            await().during(LONG_ENOUGH).until(() -> ends(one).equals(before));
        }
    }

    /// As those of a killed process; silence would take longer than three seconds to tell.
    @Test
    void member_whoseConnectionsClose_isExcludedSoon() throws Exception {
        int[] ports = ClusterPorts.free(2);
        try (var one = TestNode.channel(network.tcp(ports[0], ports));
                var other = TestNode.channel(network.tcp(ports[1], ports))) {
            one.connect(network.cluster());
            other.connect(network.cluster());
            await().until(() -> one.getView().size() == 2 && other.getView().size() == 2);
            other.getProtocolStack()
                    .insertProtocol(new DISCARD().discardAll(true), ProtocolStack.Position.ABOVE, BoundedTcp.class);

            ((BoundedTcp) other.getProtocolStack().getTransport()).clearConnections(false);

            await().atMost(Duration.ofMillis(2500)).until(() -> one.getView().size() == 1);
        }
    }

    /// The ends of all connections, by their ports.
    private static List<String> ends(JChannel channel) {
        BasicTCP transport = (BasicTCP) channel.getProtocolStack().getTransport();
        return Pattern.compile("<[^(]*> ")
                .matcher(transport.printConnections())
                .results()
                .map(MatchResult::group)
                .toList();
    }

    @Test
    void connect_atAPortThatIsTaken_retriesUntilItIsFree() throws Exception {
        int port = ClusterPorts.free();
        var taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
        try (var one = new TestNode(network.tcp(port, port))) {
            await().during(Duration.ofMillis(500))
                    .until(() -> one.listener.view().isEmpty());
            taken.close();

            TestNode.awaitOneView(one);
        }
    }

    @Test
    void key_thatAllHave_letsThemMeet() {
        Path key = dir.resolve("key");
        ClusterKey.generate(key, Randomness.secure());
        try (var one = new TestNode(network.udp(key));
                var other = new TestNode(network.udp(key))) {
            TestNode.awaitOneView(one, other);

            one.transport.multicast("secret".getBytes(UTF_8));
            one.transport.send(other.id, "letter".getBytes(UTF_8));

            assertThat(other.awaitFrames(2)).extracting(Arrival::text).containsExactlyInAnyOrder("secret", "letter");
        }
    }

    /// As in the midst of a rotation.
    @Test
    void keys_ofWhichNodesSendWithDifferentOnes_letThemMeet() throws IOException {
        String first = "aa".repeat(32) + "\n";
        String second = "bb".repeat(32) + "\n";
        Path before = Files.writeString(dir.resolve("before"), first + second);
        Path after = Files.writeString(dir.resolve("after"), second + first);
        int[] ports = ClusterPorts.free(2);
        try (var one = new TestNode(network.udp(before));
                var other = new TestNode(network.udp(after));
                var tcp = new TestNode(network.tcp(before, ports[0], ports));
                var otherTcp = new TestNode(network.tcp(after, ports[1], ports))) {
            TestNode.awaitOneView(one, other);
            TestNode.awaitOneView(tcp, otherTcp);

            assertThat(one.transport.packetsRefused() + tcp.transport.packetsRefused())
                    .isZero();
        }
    }

    @Test
    void key_ofAnother_keepsItsNodeOut() {
        Path key = dir.resolve("key");
        Path otherKey = dir.resolve("other-key");
        ClusterKey.generate(key, Randomness.secure());
        ClusterKey.generate(otherKey, Randomness.secure());
        try (var one = new TestNode(network.udp(key));
                var stranger = new TestNode(network.udp(otherKey))) {
            staysApart(one, stranger);
        }
    }

    @Test
    void node_withoutAKey_staysOut() {
        Path key = dir.resolve("key");
        ClusterKey.generate(key, Randomness.secure());
        try (var one = new TestNode(network.udp(key));
                var stranger = new TestNode(network.udp())) {
            staysApart(one, stranger);
        }
    }

    /// A node of another key may receive packets, and cannot read them.
    private static void staysApart(TestNode one, TestNode stranger) {
        TestNode.awaitOneView(one);
        TestNode.awaitOneView(stranger);

        await().during(LONG_ENOUGH).atMost(LONG_ENOUGH.multipliedBy(2)).untilAsserted(() -> {
            stranger.transport.multicast("let me in".getBytes(UTF_8));
            assertThat(one.listener.frames()).isEmpty();
            assertThat(one.listener.view()).containsExactly(one.id);
            one.transport.multicast("for friends".getBytes(UTF_8));
            assertThat(stranger.listener.frames())
                    .noneMatch(arrival -> arrival.text().contains("friends"));
        });
    }
}
