package io.tallis.cluster;

import static io.tallis.cluster.SmallCluster.A_MOMENT;
import static io.tallis.cluster.SmallCluster.A_SECOND;
import static io.tallis.cluster.SmallCluster.A_WHILE;
import static io.tallis.cluster.SmallCluster.LONG_ENOUGH_TO_STAY_AWAY;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.SmallCluster.Traffic;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Frame.DropReason;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.peer.JoinState;
import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.ChosenKeys;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import io.tallis.keyspace.Sweeper;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Replicators that exchange changes.
final class ReplicatorTest {
    private final SmallCluster cluster = new SmallCluster();

    @Test
    void change_inAReadyCluster_arrivesAtOnce() {
        List<Node> nodes = cluster.startThree();

        nodes.getFirst().add("likes", 5);
        cluster.pass(A_MOMENT);

        assertThat(nodes).allSatisfy(node -> assertThat(node.value("likes")).isEqualTo(5));
    }

    @Test
    void change_ofAHotCounter_isOneFrameForMany() {
        List<Node> nodes = cluster.startThree();
        int before = nodes.getFirst().sent().size();

        for (int i = 0; i < 1_000; i++) {
            nodes.getFirst().add("likes", 1);
        }
        cluster.pass(A_MOMENT);

        assertThat(nodes.getFirst()
                        .sent()
                        .subList(before, nodes.getFirst().sent().size()))
                .containsExactly(Kind.DELTA);
        assertThat(nodes.getLast().value("likes")).isEqualTo(1_000);
    }

    @Test
    void changes_inOccasionalBursts_areSentAtOnce() {
        List<Node> nodes = cluster.startThree();

        assertThat(deltasOfChanges(nodes.getFirst(), 8)).isEqualTo(8);
    }

    @Test
    void changes_withoutPause_areSentOnceAMillisecond() {
        List<Node> nodes = cluster.startThree();

        assertThat(deltasOfChanges(nodes.getFirst(), 2_000)).isBetween(1_000L, 1_010L);
    }

    /// Returns how many DELTA frames the node sends while it counts so often, twice in a millisecond.
    private long deltasOfChanges(Node node, int changes) {
        cluster.pass(A_MOMENT.multipliedBy(2));
        int before = node.sent().size();
        for (int i = 0; i < changes; i++) {
            node.add("likes", 1);
            cluster.pass(SmallCluster.A_STEP);
        }
        return node.sent().stream().skip(before).filter(Kind.DELTA::equals).count();
    }

    @Test
    void delta_thatIsLost_isAskedForAtItsSession() {
        List<Node> nodes = cluster.startThree();
        cluster.drops = traffic -> traffic.kind == Kind.DELTA && traffic.to.equals(nodes.getLast());

        nodes.getFirst().add("likes", 5);
        cluster.pass(Duration.ofMillis(300));

        assertThat(nodes.getLast().value("likes")).isEqualTo(5);
        assertThat(nodes.getLast().sent()).contains(Kind.ASK);
    }

    /// It was paused or cut off, and the others have removed it from their views.
    @Test
    void gap_ofAPeerThatReturned_isFilledBeforeTheViewsMerge() {
        List<Node> nodes = cluster.startThree();
        Node back = nodes.getLast();
        List<Node> others = nodes.subList(0, 2);
        others.forEach(other -> cluster.showOnly(other, others));
        cluster.drops = traffic -> traffic.to.equals(back);
        others.getFirst().add("likes", 5);
        cluster.pass(A_WHILE);
        cluster.drops = _ -> false;

        cluster.pass(A_SECOND);

        assertThat(back.value("likes")).isEqualTo(5);
    }

    /// The peer has a copy without the deadline, in which a shard that begins at zero again would not count.
    @Test
    void key_thatWasDroppedWhileAPeerLags_countsThereWhenItIsUsedAgain() {
        List<Node> nodes = cluster.startThree();
        Node first = nodes.getFirst();
        Node lagging = nodes.getLast();
        first.add("window", 5);
        cluster.pass(A_SECOND);
        cluster.drops =
                traffic -> traffic.to.equals(lagging) && (traffic.kind == Kind.DELTA || traffic.kind == Kind.ANSWER);
        first.expireAt("window", cluster.epochMillis + 10);
        cluster.pass(A_SECOND);
        cluster.epochMillis += 4_000;
        cluster.pass(Duration.ofMillis(300));
        cluster.epochMillis += 2 * first.keyspace.expiry().graceMillis();
        cluster.pass(Duration.ofMillis(300));
        new Sweeper(first.keyspace).run();
        cluster.drops = _ -> false;
        cluster.pass(A_WHILE);
        new Sweeper(first.keyspace).run();

        first.add("window", 3);
        cluster.pass(A_WHILE);

        assertThat(nodes).allSatisfy(node -> assertThat(node.value("window")).isEqualTo(3));
    }

    @Test
    void gaps_onBothSidesOfAPartition_areFilledBeforeTheViewsMerge() {
        List<Node> nodes = cluster.startThree();
        nodes.getLast().add("likes", 1);
        cluster.pass(A_MOMENT);
        cluster.connect(nodes.subList(0, 2));
        cluster.connect(nodes.subList(2, 3));
        nodes.getFirst().add("likes", 5);
        nodes.getLast().add("likes", 7);
        cluster.pass(A_WHILE);

        cluster.reachAll();
        cluster.pass(A_SECOND);

        assertThat(nodes).allSatisfy(node -> assertThat(node.value("likes")).isEqualTo(13));
    }

    /// Each asks the node that returned. What one of them has already received need not be pulled from it by the other.
    @Test
    void gaps_ofAPeerThatReturned_areFilledWithoutAPull() {
        List<Node> nodes = cluster.startThree();
        Node back = nodes.getLast();
        cluster.connect(nodes.subList(0, 2));
        cluster.connect(List.of(back));
        for (int i = 0; i < 20_000; i++) {
            back.add("new-" + i, 1);
        }
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        int[] answers = {0};
        cluster.drops =
                traffic -> traffic.kind == Kind.ANSWER && traffic.to.equals(nodes.get(1)) && ++answers[0] % 10 == 0;

        cluster.reachAll();
        cluster.pass(A_WHILE);
        cluster.connect();
        cluster.pass(A_WHILE);

        cluster.assertThatAllAgree();
        assertThat(nodes.get(1).sent()).doesNotContain(Kind.SUMS_ASK);
    }

    /// Otherwise its changes, which others have, would be missing as long as its frames arrive.
    @Test
    void gap_ofAPeerThatReceivesNothing_isFilledByOthers() {
        List<Node> nodes = cluster.startThree();
        Node deaf = nodes.getLast();
        Node lacking = nodes.get(1);
        cluster.drops = traffic -> traffic.kind == Kind.DELTA && traffic.to.equals(lacking);
        deaf.add("likes", 5);
        cluster.pass(A_MOMENT);
        cluster.drops = traffic -> traffic.to.equals(deaf);
        nodes.subList(0, 2).forEach(node -> cluster.showOnly(node, nodes.subList(0, 2)));

        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(lacking.value("likes")).isEqualTo(5);
    }

    /// It would lack all that it ever counted, and no view has arrived yet.
    @Test
    void session_thatWasNeverReachable_isNotAsked() {
        List<Node> nodes = cluster.startThree();
        nodes.getFirst().add("likes", 5);
        Node stranger = cluster.start();
        cluster.connect(List.of(stranger));
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        cluster.reachAll();
        cluster.pass(A_SECOND);

        assertThat(stranger.sent()).doesNotContain(Kind.ASK);
    }

    @Test
    void gap_whileFramesWait_isAskedForLater() {
        List<Node> nodes = cluster.startThree();
        cluster.drops = traffic -> traffic.kind == Kind.DELTA && traffic.to.equals(nodes.getLast());
        nodes.getFirst().add("likes", 5);
        nodes.getLast().replicator.setBacklog(true);

        cluster.pass(A_SECOND);
        assertThat(nodes.getLast().sent()).doesNotContain(Kind.ASK);
        cluster.pass(A_WHILE);

        assertThat(nodes.getLast().sent()).contains(Kind.ASK);
        assertThat(nodes.getLast().value("likes")).isEqualTo(5);
    }

    @Test
    void request_repeatedSoon_isAnsweredOnce() {
        List<Node> nodes = cluster.startThree();
        cluster.drops = traffic ->
                traffic.to.equals(nodes.getLast()) && (traffic.kind == Kind.DELTA || traffic.kind == Kind.ANSWER);
        nodes.getFirst().add("likes", 5);

        cluster.pass(Duration.ofMillis(900));
        assertThat(nodes.getLast().sent()).filteredOn(Kind.ASK::equals).hasSizeGreaterThan(1);
        assertThat(nodes.getFirst().sent()).filteredOn(Kind.ANSWER::equals).hasSize(1);
        cluster.drops = _ -> false;
        cluster.pass(A_WHILE);

        assertThat(nodes.getLast().value("likes")).isEqualTo(5);
    }

    @Test
    void requests_thatArriveTogether_areAnsweredTogether() {
        List<Node> nodes = cluster.startThree();
        List<SmallCluster.Traffic> questions = new ArrayList<>();
        cluster.drops = traffic -> traffic.kind == Kind.DELTA || (traffic.kind == Kind.ASK && questions.add(traffic));
        nodes.getFirst().add("likes", 5);
        cluster.pass(Duration.ofMillis(300));
        cluster.drops = _ -> false;

        questions.getFirst().arrive();
        cluster.pass(Duration.ofMillis(1));
        questions.getLast().arrive();
        cluster.pass(Duration.ofMillis(10));

        assertThat(questions.getFirst().from).isNotEqualTo(questions.getLast().from);
        assertThat(nodes.getFirst().sent()).filteredOn(Kind.ANSWER::equals).hasSize(1);
        assertThat(nodes.get(1).value("likes")).isEqualTo(5);
        assertThat(nodes.getLast().value("likes")).isEqualTo(5);
    }

    @Test
    void answer_thatWasMulticastForAnotherRequester_fillsTheGap() {
        cluster.startThree();
        cluster.start();
        cluster.connect();
        List<Node> nodes = cluster.nodes;
        cluster.pass(A_WHILE);
        cluster.drops = traffic -> traffic.kind == Kind.DELTA;
        nodes.get(3).replicator.setBacklog(true);
        nodes.getFirst().add("likes", 5);

        cluster.pass(A_WHILE);

        assertThat(nodes.get(1).sent()).contains(Kind.ASK);
        assertThat(nodes.get(3).sent()).doesNotContain(Kind.ASK);
        assertThat(nodes.get(3).value("likes")).isEqualTo(5);
    }

    @Test
    void partition_withChangesOnBothSides_healsToTheSum() {
        List<Node> nodes = cluster.startThree();
        cluster.connect(List.of(nodes.getFirst()));
        cluster.connect(nodes.subList(1, 3));
        for (int i = 0; i < 3_000; i++) {
            nodes.getFirst().add("left-" + i, 1);
            nodes.getLast().add("right-" + i, 1);
        }
        nodes.getFirst().add("likes", 2);
        nodes.getLast().add("likes", 3);
        cluster.pass(A_WHILE);

        cluster.connect();
        cluster.pass(A_WHILE);

        assertThat(nodes).allSatisfy(node -> assertThat(node.value("likes")).isEqualTo(5));
        cluster.assertThatAllAgree();
    }

    @Test
    void crashedSession_whoseChangesReachedOneNode_reachAllNodes() {
        List<Node> nodes = cluster.startThree();
        cluster.drops = traffic -> traffic.to.equals(nodes.getLast());
        nodes.getFirst().add("likes", 5);
        cluster.pass(A_MOMENT);

        cluster.kill(nodes.getFirst());
        cluster.drops = _ -> false;
        cluster.pass(A_WHILE);

        assertThat(nodes.getLast().value("likes")).isEqualTo(5);
    }

    @Test
    void crashedSession_whoseChangesReachedOneNodeBeyondAGap_reachAllNodes() {
        List<Node> nodes = cluster.startThree();
        cluster.drops = _ -> true;
        nodes.getFirst().add("lost", 1);
        cluster.pass(A_MOMENT);
        cluster.drops = traffic -> traffic.to.equals(nodes.getLast());
        nodes.getFirst().add("likes", 5);
        cluster.pass(A_MOMENT);

        cluster.kill(nodes.getFirst());
        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(nodes.getLast().value("likes")).isEqualTo(5);
        cluster.assertThatAllAgree();
        List<Integer> all = new ArrayList<>();
        nodes.get(1).replicator.awaitOneWithAll(A_SECOND.toNanos(), all::add);
        cluster.pass(A_WHILE);
        assertThat(all).containsExactly(1);
    }

    @Test
    void unreachableSession_whoseFramesStillArriveBeyondAGap_isRarelyNews() {
        List<Node> nodes = cluster.startThree();
        Node departed = nodes.getLast();
        cluster.drops = _ -> true;
        departed.add("lost", 1);
        cluster.pass(A_MOMENT);
        cluster.drops = _ -> false;
        nodes.subList(0, 2).forEach(node -> cluster.showOnly(node, nodes.subList(0, 2)));

        for (int i = 0; i < 1_000; i++) {
            departed.add("likes", 1);
            cluster.pass(Duration.ofMillis(10));
        }

        assertThat(nodes.getFirst().value("likes")).isEqualTo(1_000);
        assertThat(nodes.getFirst().replicator.status().repairs().pulls()).isBetween(1L, 5L);
    }

    @Test
    void unreachableSession_thatIsBackSoon_isAskedAndNotPulledFor() {
        List<Node> nodes = cluster.startThree();
        cluster.drops = traffic -> traffic.to.equals(nodes.getLast());
        nodes.getFirst().add("lost", 1);
        cluster.pass(A_MOMENT);
        cluster.drops = _ -> false;
        cluster.connect(nodes.subList(2, 3));
        nodes.getFirst().add("likes", 5);
        cluster.pass(A_MOMENT);

        cluster.connect();
        cluster.pass(A_WHILE);

        assertThat(nodes.getLast().value("lost")).isEqualTo(1);
        assertThat(nodes).allSatisfy(node -> assertThat(node.sent()).doesNotContain(Kind.SUMS_ASK));
        cluster.assertThatAllAgree();
    }

    /// At this pace every other answer contains changes that have no number yet; then the session that sent it is gone.
    @ParameterizedTest
    @ValueSource(longs = {0, 500_000})
    void crashedSession_whoseAnswerHadUnnumberedChanges_isNews(long nanosBefore) {
        List<Node> nodes = cluster.startThree();
        Node gone = nodes.getFirst();
        Node asking = nodes.get(1);
        List<SmallCluster.Traffic> answers = new ArrayList<>();
        cluster.drops = traffic -> {
            if (traffic.kind == Kind.ANSWER) {
                answers.add(traffic);
            }
            return traffic.kind == Kind.DELTA && (traffic.to.equals(asking) || !answers.isEmpty());
        };
        cluster.pass(Duration.ofNanos(nanosBefore));
        while (asking.value("likes") == 0) {
            gone.add("likes", 10);
            cluster.pass(Duration.ofNanos(500_000));
        }

        cluster.kill(gone);
        cluster.drops = _ -> false;
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        cluster.assertThatAllAgree();
    }

    @Test
    void delete_concurrentWithAnIncrement_keepsTheIncrement() {
        List<Node> nodes = cluster.startThree();
        nodes.getFirst().add("likes", 5);
        cluster.pass(A_MOMENT);
        cluster.connect(List.of(nodes.getFirst()));
        cluster.connect(nodes.subList(1, 3));
        nodes.getFirst().delete("likes");
        nodes.getLast().add("likes", 2);

        cluster.connect();
        cluster.pass(A_WHILE);

        assertThat(nodes).allSatisfy(node -> assertThat(node.value("likes")).isEqualTo(2));
        cluster.assertThatAllAgree();
    }

    @Test
    void node_withoutMemory_mergesAndAsksForNothingAndStillSends() {
        Keyspace small = cluster.keyspace();
        long most = small.bytesUsed() + 10_000;
        Node full = cluster.start(settings(most), small);
        Node other = cluster.start();
        cluster.connect();
        cluster.pass(A_SECOND);
        for (int i = 0; i < 20_000; i++) {
            other.add("key-" + i, 1);
        }
        cluster.pass(A_WHILE);
        long used = small.bytesUsed();
        List<Kind> before = full.sent();

        other.add("one more", 1);
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        assertThat(full.sent()).isEqualTo(before);
        full.add("own", 1);
        cluster.pass(A_SECOND);

        assertThat(used).isGreaterThan(most).isLessThan(other.keyspace.bytesUsed() / 2);
        assertThat(full.value("one more")).isZero();
        assertThat(other.value("own")).isEqualTo(1);
        assertThat(full.replicator.status().frames().dropped()).containsKey(DropReason.MEMORY_FULL);
    }

    @Test
    void sides_whoseKeysFillAPartitionTogether_goOnWithoutTheRefusedCells() {
        Node one = cluster.start();
        Node other = cluster.start();
        for (Node node : List.of(one, other)) {
            cluster.connect(List.of(node));
        }
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        fillAPartition(one, 1);
        fillAPartition(other, 1_000_000);
        one.add("likes", 1);

        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        one.add("likes", 1);
        cluster.pass(A_SECOND);

        assertThat(one.replicator.status().frames().dropped()).containsKey(DropReason.MEMORY_FULL);
        assertThat(List.of(one.value("likes"), other.value("likes"))).containsOnly(2L);
        assertThat(one.replicator.state()).isEqualTo(JoinState.READY);
    }

    /// Clients that only change existing counters may fill more than half of the memory for merges.
    private static void fillAPartition(Node node, int first) {
        ChosenKeys keys = new ChosenKeys(node.keyspace, 7, 2_100);
        Counters disk = new Counters(node.keyspace, ChangeLog.NONE);
        Cell former = new Cell().clear(CounterType.PNCOUNT);
        former.counts().append(node.keyspace.replicas().numberOf(new ReplicaId(first, 99)));
        former.counts().put(0, Counter.P, 0, 1);
        for (int i = 0; i < 28_000; i++) {
            Key key = keys.key(first + i);
            new Merges(disk.keyspace(), disk.log()).restore(key, former);
            assertThat(node.clients.add(key, 1)).isTrue();
        }
    }

    @Test
    void frame_withHigherCountsOfThisProcessThanItsOwn_isDropped() throws MalformedException {
        List<Node> nodes = cluster.startThree();
        Node takenBack = nodes.getFirst();
        Node other = nodes.getLast();
        takenBack.add("likes", 10);
        cluster.pass(A_MOMENT);

        takenBack.replicator.onFrame(other.session(), cellsAgain(other, takenBack.session(), "likes", 1_000));

        assertThat(takenBack.value("likes")).isEqualTo(10);
        assertThat(takenBack.replicator.status().frames().dropped()).isEmpty();
        cluster.pass(A_SECOND);
        assertThat(takenBack.replicator.status().frames().dropped()).containsEntry(DropReason.MALFORMED, 1L);
    }

    /// The frame that `teller` would send if it knew that `session` has added so much.
    private static byte[] cellsAgain(Node teller, ReplicaId session, String key, long amount) {
        Replicas replicas = new Replicas(teller.session());
        Cell counter = new Cell().clear(CounterType.PNCOUNT);
        counter.counts().put(counter.counts().append(replicas.numberOf(session)), Counter.P, 0, amount);
        ByteWriter out = new ByteWriter(100);
        Frame.begin(out, Kind.CELLS_AGAIN, teller.session(), 0, 0);
        CellCodec codec = new CellCodec(replicas);
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        codec.encodeKey(CounterType.PNCOUNT, name, 0, name.length, out);
        codec.encode(counter, Replicas.OWN, out);
        return Frame.seal(out, Frame.OLDEST_VERSION);
    }

    @Test
    void beat_thatArrivesLate_changesNothing() {
        List<Traffic> beats = new ArrayList<>();
        cluster.watcher = traffic -> {
            if (traffic.kind == Kind.BEAT) {
                beats.add(traffic);
            }
        };
        Node node = cluster.startThree().getFirst();
        Traffic first =
                beats.stream().filter(beat -> beat.to.equals(node)).findFirst().orElseThrow();

        cluster.drops = traffic -> traffic.kind == Kind.BEAT;
        first.arrive();
        cluster.pass(A_SECOND);

        assertThat(node.replicator.status().peers())
                .extracting(PeerStatus::state)
                .containsExactly(JoinState.READY, JoinState.READY);
    }

    @Test
    void quietCluster_sendsBeatsOnly() {
        List<Node> nodes = cluster.startThree();
        nodes.getFirst().add("likes", 5);
        cluster.pass(A_WHILE);
        List<Kind> before = nodes.getFirst().sent();

        cluster.pass(A_WHILE);

        assertThat(nodes.getFirst().sent()).isEqualTo(before);
    }

    @Test
    void healedNetwork_whoseFramesArriveBeforeTheView_causesNoPull() {
        List<Node> nodes = cluster.startThree();
        cluster.connect(nodes.subList(0, 2));
        cluster.connect(nodes.subList(2, 3));
        countFor(nodes, LONG_ENOUGH_TO_STAY_AWAY);

        cluster.reachAll();
        countFor(nodes, Duration.ofMillis(300));
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        cluster.assertThatAllAgree();
        assertThat(nodes).allSatisfy(node -> assertThat(node.sent()).doesNotContain(Kind.SUMS_ASK));
    }

    private void countFor(List<Node> nodes, Duration time) {
        for (int i = 0; i < time.dividedBy(A_MOMENT); i++) {
            String key = "key-" + i % 50;
            nodes.forEach(node -> node.add(key, 1));
            cluster.pass(A_MOMENT);
        }
    }

    private static ReplicationSettings settings(long mostBytes) {
        return new ReplicationSettings(
                SmallCluster.JOINING, 1 << 26, 0, mostBytes, Frame.OLDEST_VERSION, SmallCluster.FOLD_AFTER_NANOS);
    }
}
