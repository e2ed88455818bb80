package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tallis.cluster.PeerStatus;
import io.tallis.cluster.ReplicationStatus;
import io.tallis.cluster.frame.MeteredTransport;
import io.tallis.cluster.peer.ClusterId;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.peer.Vitals;
import io.tallis.cluster.records.Addresses;
import io.tallis.cluster.records.Chronicle;
import io.tallis.cluster.records.Registry;
import io.tallis.cluster.records.Self;
import io.tallis.command.cluster.Cluster;
import io.tallis.command.cluster.Cluster.Agreement;
import io.tallis.command.cluster.ReplicationSection;
import io.tallis.command.server.InfoField;
import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteReader;
import io.tallis.wire.MalformedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ClusterViewTest {
    private static final ReplicaId OWN = new ReplicaId(1, 1);
    private static final ReplicaId PEER = new ReplicaId(2, 2);
    private static final Self HERE = new Self(new UUID(1, 1), "here", "127.0.0.1:6379");

    private static final Set<String> FIELDS_OF_REDIS = Set.of(
            "role",
            "connected_slaves",
            "ip",
            "port",
            "offset",
            "lag",
            "master_failover_state",
            "master_replid",
            "master_replid2",
            "master_repl_offset",
            "second_repl_offset",
            "repl_backlog_active",
            "repl_backlog_size",
            "repl_backlog_first_byte_offset",
            "repl_backlog_histlen");

    private final Registry registry = new Registry(HERE, OWN, Registry.Store.NONE);
    private final Chronicle chronicle = new Chronicle(HERE, OWN, () -> 0, (_, _) -> {});
    private Standing standing = Standing.NONE;
    private Map<UUID, Long> away = Map.of();
    private ReplicationStatus status = statusWith(null);
    private final ClusterView view = new ClusterView(() -> status, registry, chronicle, new RefusingOperator());

    private static final class RefusingOperator implements ClusterView.Operator {
        @Override
        public boolean connected() {
            return true;
        }

        @Override
        public long framesNotSent() {
            return 3;
        }

        @Override
        public long packetsRefused() {
            return 4;
        }

        @Override
        public String lastRefused() {
            return "10.0.0.3";
        }

        @Override
        public void forget(String who, Consumer<Registry.Forgetting> answer) {
            answer.accept(who.equals("here") ? Registry.Forgetting.PRESENT : Registry.Forgetting.UNKNOWN);
        }

        @Override
        public void fold() {}

        @Override
        public void purge() {}

        @Override
        public void hold(Runnable done) {
            done.run();
        }

        @Override
        public void ready(Runnable done) {
            done.run();
        }
    }

    @Test
    void fieldsThatRedisDoesNotHave_areInThePageForOperators() throws IOException {
        String page = Files.readString(Path.of("src/site/markdown/operating.md"));

        Stream<String> fields = ReplicationSection.of(view).fields().stream()
                .flatMap(field -> field instanceof InfoField.Group group ? group.members().stream() : Stream.of(field))
                .map(InfoField::name)
                .map(name -> name.startsWith("frames_dropped_") ? "frames_dropped_*" : name)
                .filter(name -> !FIELDS_OF_REDIS.contains(name));

        assertThat(fields).isNotEmpty().allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
    }

    private ReplicationStatus statusWith(PeerStatus.@Nullable Comparison comparison) {
        return statusWith(comparison, 150);
    }

    private ReplicationStatus statusWith(PeerStatus.@Nullable Comparison comparison, long silentMillis) {
        PeerStatus peer = new PeerStatus(
                new PeerStatus.Identity(PEER, new UUID(2, 2), "north", Addresses.of("10.0.0.2:6379")),
                JoinState.CATCHING_UP,
                true,
                60,
                new PeerStatus.Lag(10, 250),
                1000,
                2000,
                silentMillis,
                -30,
                new Vitals("0.1.0", 3600, 70_000),
                comparison);
        return new ReplicationStatus(
                OWN,
                new ReplicationStatus.Joining(JoinState.READY, 100, 5, 600, 7, 100, standing, false, ""),
                70,
                new ReplicationStatus.Frames(1, 2, Map.of()),
                new ReplicationStatus.Repairs(3, 4, 5, 6, 9, 10),
                new MeteredTransport.Traffic(7, 8),
                new ReplicationStatus.Folds(10, 11, "time"),
                new ReplicationStatus.Purges(12, "other work"),
                new ReplicationStatus.Nodes(1, 1 + away.size(), away),
                List.of(peer));
    }

    @Test
    void standing_hasThePeer() {
        assertThat(view.standing().peers())
                .containsExactly(new Cluster.Peer(
                        "north",
                        PEER.toString(),
                        "10.0.0.2:6379",
                        "catching_up",
                        false,
                        60,
                        new Cluster.Lag(10, 250),
                        new Cluster.Exchange(1000, 2000, 150, -30),
                        new Cluster.Vitals("0.1.0", 3600, 70_000),
                        Agreement.NOT_COMPARED));
    }

    @Test
    void standing_hasTheClusterId() {
        ClusterId cluster = ClusterId.parse("0000019c4f1a2b3c9d8e7f6a5b4c3d2e");
        String before = view.standing().cluster();
        standing = Standing.complete(cluster);
        status = statusWith(null);

        assertThat(before).isEqualTo("none");
        assertThat(view.standing().cluster()).isEqualTo("0000019c4f1a2b3c9d8e7f6a5b4c3d2e");
        assertThat(view.standing().figures()).containsEntry("node_complete", 1L);
    }

    @Test
    void standing_hasTheFigures() {
        assertThat(view.standing().figures())
                .containsEntry("cluster_connected", 1L)
                .containsEntry("nodes_unreachable", 0L)
                .containsEntry("pulls_fruitless", 6L)
                .containsEntry("rotation_bytes_out", 9L)
                .containsEntry("repair_bytes", 10L)
                .containsEntry("frames_not_sent", 3L)
                .containsEntry("packets_refused", 4L)
                .containsEntry("frames_dropped_malformed", 0L)
                .containsEntry("cluster_bytes_out", 8L);
        assertThat(view.standing().texts()).containsEntry("packets_refused_from", "10.0.0.3");
    }

    @Test
    void peer_afterAComparison_agreesOrWasRepaired() {
        status = statusWith(new PeerStatus.Comparison(true, 10));
        Agreement equal = view.standing().peers().getFirst().agrees();
        status = statusWith(new PeerStatus.Comparison(false, 10));
        Agreement different = view.standing().peers().getFirst().agrees();

        assertThat(equal).isEqualTo(Agreement.YES);
        assertThat(different).isEqualTo(Agreement.REPAIRED);
    }

    @Test
    void ownNode_isListedWithItsState() {
        assertThat(view.nodes())
                .containsExactly(new Cluster.Node(
                        "here", HERE.uuid().toString(), "127.0.0.1:6379", "", "", "ready", 1, 0, 1, OWN.toString()));
    }

    @Test
    void nodesThatAreAway_areWhatFoldsAndPurgesWaitFor() throws MalformedException {
        String before = view.standing().texts().get("purge_waits_for");
        UUID gone = new UUID(3, 3);
        Registry other = new Registry(new Self(gone, "east", "h:1"), new ReplicaId(3, 3), Registry.Store.NONE);
        registry.onRecords(ByteReader.of(other.ownRecordBody()));
        registry.publish();
        away = Map.of(gone, 90_500L);
        status = statusWith(null);

        assertThat(before).isEqualTo("other work");
        assertThat(view.standing().texts())
                .containsEntry(
                        "fold_waits_for",
                        "nodes that are unreachable or do not serve; SYSTEM FORGET those that never will: east (for 90 s)")
                .containsEntry(
                        "purge_waits_for",
                        "nodes that are unreachable or do not serve; SYSTEM FORGET those that never will: east (for 90 s)");
        assertThat(view.nodes())
                .extracting(Cluster.Node::name, Cluster.Node::state, Cluster.Node::awaySeconds)
                .containsExactlyInAnyOrder(tuple("here", "ready", 0L), tuple("east", "unreachable", 90L));
        assertThat(view.reach()).isEqualTo(new Cluster.Reach(1, 2));
    }

    @Test
    void event_ofANodeWhoseNameIsNotUnique_hasTheNameThatNodesShows() throws MalformedException {
        Registry other = new Registry(new Self(new UUID(0, 1), "here", "h:1"), PEER, Registry.Store.NONE);
        registry.onReachable(List.of(OWN, PEER));
        registry.onRecords(ByteReader.of(other.ownRecordBody()));
        registry.publish();
        chronicle.record("is stopping");
        chronicle.publish();

        assertThat(view.newest(1)).extracting(Cluster.Happening::node).containsExactly("here-0000");
        assertThat(view.nodes()).extracting(Cluster.Node::name).containsExactly("here", "here-0000");
    }

    @Test
    void forget_isPassedOn() {
        view.forget("here", outcome -> assertThat(outcome).isEqualTo(Cluster.Forgetting.PRESENT));
        view.forget("other", outcome -> assertThat(outcome).isEqualTo(Cluster.Forgetting.UNKNOWN));
    }
}
