package io.tallis.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Randomness;
import io.tallis.testing.MulticastGroup;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jgroups.JChannel;
import org.jspecify.annotations.Nullable;

/// A session with a real transport and a recording receiver.
final class TestNode implements AutoCloseable {
    private static final Randomness RANDOMNESS = Randomness.secure();
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration POLL = Duration.ofMillis(5);

    final ReplicaId id;
    final Listener listener = new Listener();
    final List<String> events = new CopyOnWriteArrayList<>();
    final JGroupsTransport transport;

    TestNode(JGroupsSettings settings) {
        this(settings, new ReplicaId(RANDOMNESS.nextLong(), RANDOMNESS.nextLong()));
    }

    TestNode(JGroupsSettings settings, ReplicaId id) {
        this.id = id;
        transport = new JGroupsTransport(id, settings, events::add);
        transport.connect(listener);
    }

    /// A channel with the stack of a node.
    static JChannel channel(JGroupsSettings settings) throws Exception {
        return new JChannel(stack(settings));
    }

    static JGroupsStack stack(JGroupsSettings settings) {
        return JGroupsStack.of(settings, PacketGuard.of(settings, _ -> {}));
    }

    /// A cluster name and a multicast group of the loopback interface that no other test uses.
    record Network(String cluster, InetSocketAddress multicast) {
        static Network fresh() {
            MulticastGroup group = MulticastGroup.fresh();
            return new Network(
                    "test-" + Long.toHexString(RANDOMNESS.nextLong()),
                    InetSocketAddress.createUnresolved(group.address(), group.port()));
        }

        JGroupsSettings udp() {
            return udp(null);
        }

        JGroupsSettings udp(@Nullable Path keyFile) {
            return udp(0, keyFile);
        }

        JGroupsSettings udp(int port, @Nullable Path keyFile) {
            return new JGroupsSettings(
                    cluster, "node", "udp", "127.0.0.1", port, List.of(), multicast, "", keyFile, false);
        }

        JGroupsSettings tcp(int port, int... seeds) {
            return tcp(null, port, seeds);
        }

        JGroupsSettings tcp(@Nullable Path keyFile, int port, int... seeds) {
            List<InetSocketAddress> hosts = Arrays.stream(seeds)
                    .mapToObj(seed -> InetSocketAddress.createUnresolved("127.0.0.1", seed))
                    .toList();
            return new JGroupsSettings(cluster, "node", "tcp", "127.0.0.1", port, hosts, multicast, "", keyFile, false);
        }

        JGroupsSettings k8s(String bind, int port, String dns) {
            return new JGroupsSettings(cluster, "node", "k8s", bind, port, List.of(), multicast, dns, null, false);
        }
    }

    /// Waits until the view of each has all of them and no other.
    static void awaitOneView(TestNode... nodes) {
        List<ReplicaId> ids = Stream.of(nodes).map(node -> node.id).toList();
        await().pollInterval(POLL).atMost(PATIENCE).untilAsserted(() -> {
            for (TestNode node : nodes) {
                assertThat(node.listener.view()).containsExactlyInAnyOrderElementsOf(ids);
            }
        });
    }

    /// Waits for that many frames, and returns all.
    List<Listener.Arrival> awaitFrames(int count) {
        await().pollInterval(POLL)
                .atMost(PATIENCE)
                .until(() -> listener.frames().size() >= count);
        return listener.frames();
    }

    @Override
    public void close() {
        transport.close();
    }
}
