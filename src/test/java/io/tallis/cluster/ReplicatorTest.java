package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.SmallCluster.Node;
import io.tallis.cluster.SmallCluster.Traffic;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CounterCodec;
import io.tallis.wire.MalformedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ReplicatorTest {
    private static final Duration A_MOMENT = Duration.ofMillis(5);
    private static final Duration A_SECOND = Duration.ofSeconds(1);
    private static final Duration A_WHILE = Duration.ofSeconds(2);
    private static final Duration LONG_ENOUGH_TO_STAY_AWAY = Duration.ofSeconds(5);

    private static final JoiningSettings COMMON = SmallCluster.JOINING;

    private final SmallCluster cluster = new SmallCluster();

    @Test
    void change_inAReadyCluster_isSeenByTheOthersAtOnce() {
        List<Node> nodes = three();

        nodes.getFirst().add("likes", 5);
        cluster.pass(A_MOMENT);

        assertThat(nodes).allSatisfy(node -> assertThat(node.value("likes")).isEqualTo(5));
    }

    @Test
    void change_ofAHotCounter_isOneFrameForMany() {
        List<Node> nodes = three();
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
    void delta_thatIsLost_isAskedForOfItsSession() {
        List<Node> nodes = three();
        cluster.drops = traffic -> traffic.kind == Kind.DELTA && traffic.to.equals(nodes.getLast());

        nodes.getFirst().add("likes", 5);
        cluster.pass(Duration.ofMillis(300));

        assertThat(nodes.getLast().value("likes")).isEqualTo(5);
        assertThat(nodes.getLast().sent()).contains(Kind.ASK);
    }

    @Test
    void gap_whileFramesWait_isAskedForLaterThanUsual() {
        List<Node> nodes = three();
        cluster.drops = traffic -> traffic.kind == Kind.DELTA && traffic.to.equals(nodes.getLast());
        nodes.getFirst().add("likes", 5);
        nodes.getLast().replicator.hasBacklog(true);

        cluster.pass(A_SECOND);
        assertThat(nodes.getLast().sent()).doesNotContain(Kind.ASK);
        cluster.pass(A_WHILE);

        assertThat(nodes.getLast().sent()).contains(Kind.ASK);
        assertThat(nodes.getLast().value("likes")).isEqualTo(5);
    }

    @Test
    void question_thatIsRepeatedSoon_isAnsweredOnce() {
        List<Node> nodes = three();
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
    void questions_thatComeSoonAfterEachOther_areAnsweredTogether() {
        List<Node> nodes = three();
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
    void answer_toOthers_isAllThatOneWhoOverhearsItNeeds() {
        three();
        cluster.start();
        cluster.connect();
        List<Node> nodes = cluster.nodes;
        cluster.pass(A_WHILE);
        cluster.drops = traffic -> traffic.kind == Kind.DELTA;
        nodes.get(3).replicator.hasBacklog(true);
        nodes.getFirst().add("likes", 5);

        cluster.pass(A_WHILE);

        assertThat(nodes.get(1).sent()).contains(Kind.ASK);
        assertThat(nodes.get(3).sent()).doesNotContain(Kind.ASK);
        assertThat(nodes.get(3).value("likes")).isEqualTo(5);
    }

    @Test
    void partition_withChangesOnBothSides_healsToTheSum() {
        List<Node> nodes = three();
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
        assertThatAllAgree();
    }

    @Test
    void departed_whoseChangesReachedOne_reachThemAll() {
        List<Node> nodes = three();
        cluster.drops = traffic -> traffic.to.equals(nodes.getLast());
        nodes.getFirst().add("likes", 5);
        cluster.pass(A_MOMENT);

        cluster.kill(nodes.getFirst());
        cluster.drops = _ -> false;
        cluster.pass(A_WHILE);

        assertThat(nodes.getLast().value("likes")).isEqualTo(5);
    }

    @Test
    void departed_whoseChangesReachedOneBeyondAGap_reachThemAll() {
        List<Node> nodes = three();
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
        assertThatAllAgree();
        List<Integer> all = new ArrayList<>();
        nodes.get(1).replicator.awaitOneWithAll(A_SECOND.toNanos(), all::add);
        cluster.pass(A_WHILE);
        assertThat(all).containsExactly(1);
    }

    @Test
    void departed_whoCanBeHeardBeyondAGap_areNewsNowAndThenOnly() {
        List<Node> nodes = three();
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
    void departed_whoAreBackSoon_areAskedAndNobodyCompares() {
        List<Node> nodes = three();
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
        assertThatAllAgree();
    }

    @Test
    void joiner_withAnEmptyDisk_getsAllBeforeItIsReady() {
        List<Node> nodes = three();
        for (int i = 0; i < 5_000; i++) {
            nodes.get(i % 3).add("key-" + i, i);
        }
        cluster.pass(A_WHILE);

        Node joiner = cluster.start();
        cluster.connect();
        while (joiner.replicator.state() != JoinState.READY) {
            cluster.pass(A_MOMENT);
        }

        assertThat(joiner.value("key-4999")).isEqualTo(4_999);
        assertThatAllAgree();
    }

    @Test
    void joiner_thatLosesSightOfEverybodyWhileItPulls_staysSilentUntilItHasAll() {
        Node joiner = startUntilItPullsFrom(three());

        cluster.connect(List.of(joiner));
        cluster.pass(A_WHILE);
        JoinState whenCutOff = joiner.replicator.state();
        cluster.connect();
        while (joiner.replicator.state() != JoinState.READY) {
            cluster.pass(A_MOMENT);
        }

        assertThat(whenCutOff).isEqualTo(JoinState.SEEKING);
        assertThat(joiner.value("key-4999")).isEqualTo(4_999);
        assertThatAllAgree();
    }

    @Test
    void joiner_whoseProvidersAllEnd_servesWhatItHasAfterAWhile() {
        List<Node> nodes = List.copyOf(three());
        Node joiner = startUntilItPullsFrom(nodes);

        nodes.forEach(cluster::kill);
        cluster.pass(A_WHILE);
        JoinState soon = joiner.replicator.state();
        cluster.pass(A_WHILE);

        assertThat(soon).isEqualTo(JoinState.SEEKING);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void joiners_whoseOnlyProviderEnds_doNotTakeEachOtherForAll() {
        Node provider = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        for (int i = 0; i < 20_000; i++) {
            provider.add("key-" + i, 1);
        }
        cluster.pass(A_WHILE);
        Node one = cluster.start();
        Node other = cluster.start();
        cluster.connect();
        while (one.keyspace.cells() < 3_000 || other.keyspace.cells() < 3_000) {
            cluster.pass(Duration.ofMillis(1));
        }

        cluster.nodes.remove(provider);
        cluster.connect();
        cluster.pass(Duration.ofMillis(2_500));
        assertThat(List.of(one.replicator.state(), other.replicator.state())).doesNotContain(JoinState.READY);
        cluster.nodes.add(provider);
        cluster.connect();
        cluster.pass(A_WHILE);

        assertThat(List.of(one.replicator.state(), other.replicator.state())).containsOnly(JoinState.READY);
        assertThat(one.keyspace.cells()).isEqualTo(20_000);
        assertThatAllAgree();
    }

    @Test
    void joiners_whoseOnlyProviderStaysAway_serveWhatTheyHaveAfterAWhile() {
        Node provider = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        provider.add("likes", 5);
        Node one = cluster.start();
        Node other = cluster.start();
        cluster.connect();
        cluster.pass(A_MOMENT);

        cluster.kill(provider);
        cluster.pass(A_WHILE);
        cluster.pass(A_WHILE);

        assertThat(List.of(one.replicator.state(), other.replicator.state())).containsOnly(JoinState.READY);
        assertThatAllAgree();
    }

    @Test
    void newNodes_thatExpectOthers_waitForThemThoughTheyAreTwo() {
        ReplicationSettings settings = SmallCluster.SETTINGS.expectingOthers();
        Node one = cluster.start(settings);
        Node other = cluster.start(settings);
        cluster.connect();
        cluster.pass(Duration.ofMillis(2_500));
        List<JoinState> soon = List.of(one.replicator.state(), other.replicator.state());
        cluster.pass(A_WHILE);

        assertThat(soon).doesNotContain(JoinState.READY);
        assertThat(List.of(one.replicator.state(), other.replicator.state())).containsOnly(JoinState.READY);
    }

    /// What an answer shows may be due and have no number yet, every other time at this pace; then whoever gave it is
    /// gone.
    @ParameterizedTest
    @ValueSource(longs = {0, 500_000})
    void departed_whoseAnswerHadMoreThanItsNumberTells_isNews(long nanosBefore) {
        List<Node> nodes = three();
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
        cluster.pass(A_WHILE);
        cluster.pass(A_WHILE);

        assertThatAllAgree();
    }

    /// The same piece, or one that nobody has asked for.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void joiner_whoseProviderSendsWhatIsOfNoUse_pullsFromAnother(boolean otherPiece) {
        Node good = cluster.start();
        Node liar = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        for (int i = 0; i < 3_000; i++) {
            good.add("key-" + i, 1);
        }
        cluster.pass(A_WHILE);
        Node joiner = cluster.start();
        cluster.watcher = traffic -> {
            if (traffic.kind == Kind.CELLS && traffic.from.equals(liar)) {
                stayWhereItBegan(traffic.frame, otherPiece);
            }
        };
        cluster.connect();

        cluster.pass(Duration.ofSeconds(40));

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.keyspace.cells()).isEqualTo(3_000);
    }

    /// It stays in view, and is heard, but what is larger than a packet is lost on the way: slowly at first.
    @Test
    void joiner_whoseProviderFallsSilent_hasAllFromTheOtherLongBeforeItStopsWaiting() {
        Node mute = cluster.start(SmallCluster.SETTINGS, disk(3_000));
        Node other = cluster.start(SmallCluster.SETTINGS, disk(3_000));
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        Node joiner = cluster.start();
        AtomicInteger answers = new AtomicInteger();
        cluster.drops = traffic -> {
            boolean bulk = traffic.from.equals(mute) && traffic.to.equals(joiner) && traffic.kind == Kind.CELLS;
            int answer = bulk ? answers.incrementAndGet() : 0;
            return (answer > 10 && answer <= 18) || answer > 21;
        };
        cluster.connect();

        int seconds = 0;
        for (; joiner.replicator.state() != JoinState.READY && seconds < 60; seconds++) {
            cluster.pass(A_SECOND);
        }

        assertThat(answers.get()).isGreaterThan(21);
        assertThat(joiner.keyspace.cells()).isEqualTo(other.keyspace.cells());
        assertThat(seconds).isLessThan(20);
    }

    /// A keyspace with so many counters of a former life, as if from a disk.
    /// No later question of which the answer would show that they are lost.
    @Test
    void lastAnswersOfAPull_thatAreLost_areAskedForAgainTogether() {
        Node member = cluster.start(SmallCluster.SETTINGS, disk(10_000));
        cluster.connect(List.of(member));
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        Node joiner = cluster.start();
        Set<Integer> lost = new HashSet<>();
        cluster.drops = traffic -> traffic.kind == Kind.CELLS
                && partitionOf(traffic.frame) >= Keyspace.PARTITIONS - 4
                && lost.add(partitionOf(traffic.frame));
        cluster.connect();

        cluster.pass(Duration.ofSeconds(3));

        assertThat(lost).hasSize(4);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    private static int partitionOf(byte[] cells) {
        try {
            ByteReader body = Frame.read(cells.clone(), Frame.OLDEST_VERSION).body();
            body.i32();
            return (int) body.varint();
        } catch (BadFrameException | MalformedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    private Keyspace disk(int counters) {
        Keyspace disk = cluster.keyspace();
        for (int i = 0; i < counters; i++) {
            addFormer(disk, "key-" + i, 5);
        }
        return disk;
    }

    /// Has a piece of a pull go on from where it began.
    private static void stayWhereItBegan(byte[] frame, boolean otherPiece) {
        try {
            ByteReader body = Frame.read(frame.clone(), Frame.OLDEST_VERSION).body();
            body.i32();
            body.varint();
            int from = body.position();
            if (otherPiece) {
                frame[from] ^= 1;
            } else {
                System.arraycopy(frame, from, frame, from + Long.BYTES, Long.BYTES);
            }
            ByteWriter sealed = new ByteWriter(frame.length);
            sealed.bytes(frame, 0, frame.length);
            System.arraycopy(Frame.seal(sealed, Frame.OLDEST_VERSION), 0, frame, 0, frame.length);
        } catch (BadFrameException | MalformedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    @Test
    void joiner_whoseDonorIsNotThere_waitsForItAndThenPullsFromOthers() {
        List<Node> nodes = three();
        nodes.getFirst().add("likes", 5);
        cluster.pass(A_MOMENT);

        Node joiner = cluster.start(settings(false, COMMON.aloneTimeout(), "nobody"));
        cluster.connect();
        cluster.pass(A_WHILE);
        JoinState whileItWaits = joiner.replicator.state();
        cluster.pass(A_WHILE);

        assertThat(whileItWaits).isEqualTo(JoinState.SEEKING);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.value("likes")).isEqualTo(5);
    }

    @Test
    void joiner_thatMayNotServeAloneAndHasNoDonor_tellsItOnceAndPullsFromOthers() {
        List<Node> nodes = three();
        nodes.getFirst().add("likes", 5);
        cluster.pass(A_MOMENT);
        Node joiner = cluster.start(settings(true, JoiningSettings.FOR_EVER, "nobody"));
        cluster.connect();

        cluster.pass(COMMON.joinTimeout());

        assertThat(joiner.value("likes")).isEqualTo(5);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.records.chronicle().newest(1_000))
                .extracting(Event::text)
                .filteredOn(text -> text.contains("waits for its donor"))
                .hasSize(1);
    }

    @Test
    void joiner_whoseDiskHasMore_teachesAllTheOthers() {
        List<Node> nodes = three();
        Keyspace disk = cluster.keyspace();
        addFormer(disk, "old", 7);

        Node joiner = cluster.start(SmallCluster.SETTINGS, disk);
        cluster.connect();
        cluster.pass(A_WHILE);

        assertThat(nodes).allSatisfy(node -> assertThat(node.value("old")).isEqualTo(7));
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void nodes_startedTogetherWithDifferentDisks_agree() {
        for (int i = 0; i < 3; i++) {
            Keyspace disk = cluster.keyspace();
            addFormer(disk, "old-" + i, 7);
            cluster.start(SmallCluster.SETTINGS, disk);
        }

        cluster.connect();
        cluster.pass(A_WHILE);

        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
            assertThat(node.value("old-0") + node.value("old-1") + node.value("old-2"))
                    .isEqualTo(21);
        });
    }

    @Test
    void delete_besideAnIncrementItHasNotSeen_leavesTheIncrement() {
        List<Node> nodes = three();
        nodes.getFirst().add("likes", 5);
        cluster.pass(A_MOMENT);
        cluster.connect(List.of(nodes.getFirst()));
        cluster.connect(nodes.subList(1, 3));
        nodes.getFirst().delete("likes");
        nodes.getLast().add("likes", 2);

        cluster.connect();
        cluster.pass(A_WHILE);

        assertThat(nodes).allSatisfy(node -> assertThat(node.value("likes")).isEqualTo(2));
        assertThatAllAgree();
    }

    @Test
    void await_whenTheOthersHaveAll_answersTheirNumber() {
        List<Node> nodes = three();
        List<Integer> answers = new ArrayList<>();
        nodes.getFirst().add("likes", 5);

        nodes.getFirst().replicator.await(2, Long.MAX_VALUE, () -> true, answers::add);
        cluster.pass(A_MOMENT);

        assertThat(answers).containsExactly(2);
    }

    /// What clients were told in the life before is promised as well.
    @Test
    void await_ofANodeThatBeganWithCounters_countsThoseWhoHaveThem() {
        three();
        Keyspace disk = cluster.keyspace();
        addFormer(disk, "old", 7);
        Node restarted = cluster.start(SmallCluster.SETTINGS, disk);
        cluster.drops = traffic -> traffic.to.equals(restarted) && traffic.kind == Kind.SUMS_ASK;
        cluster.connect();
        cluster.pass(A_SECOND);
        List<Integer> answers = new ArrayList<>();

        restarted.replicator.await(1, A_SECOND.toNanos(), () -> true, answers::add);
        cluster.pass(A_SECOND.plusMillis(10));
        assertThat(restarted.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(answers).containsExactly(0);

        cluster.drops = _ -> false;
        cluster.pass(A_WHILE);
        restarted.replicator.await(3, A_SECOND.toNanos(), () -> true, answers::add);
        cluster.pass(A_SECOND);
        assertThat(answers).containsExactly(0, 3);
    }

    /// Before the others have found out that the former is gone.
    @Test
    void await_besideTwoSessionsOfOneNode_countsOne() {
        Node writer = cluster.start();
        Node former = cluster.start();
        Node again = cluster.startAgain(former);
        Node copy = cluster.startCopy(former);
        cluster.connect();
        cluster.pass(A_WHILE);
        writer.add("likes", 1);
        List<Integer> answers = new ArrayList<>();

        writer.replicator.await(3, A_SECOND.toNanos(), () -> true, answers::add);
        cluster.pass(A_WHILE);

        assertThat(answers).containsExactly(2);
        assertThat(List.of(again.value("likes"), copy.value("likes"))).containsExactly(1L, 1L);
    }

    /// A third node counted, told one other, and is gone.
    @Test
    void awaitOneWithAll_waitsForWhatOthersCountedToo() {
        List<Node> nodes = three();
        Node leaving = nodes.get(0);
        Node behind = nodes.get(1);
        Node gone = nodes.get(2);
        cluster.connect(List.of(leaving, gone));
        cluster.connect(List.of(behind));
        gone.add("likes", 5);
        cluster.pass(A_SECOND);
        cluster.nodes.remove(gone);
        cluster.drops = traffic -> traffic.to.equals(leaving) && traffic.kind == Kind.SUMS_ASK;
        cluster.connect();
        cluster.pass(A_SECOND);
        List<Integer> own = new ArrayList<>();
        List<Integer> all = new ArrayList<>();

        leaving.replicator.await(1, A_SECOND.toNanos(), () -> true, own::add);
        leaving.replicator.awaitOneWithAll(A_SECOND.toNanos(), all::add);
        cluster.pass(A_SECOND.plusMillis(10));
        assertThat(behind.value("likes")).isZero();
        assertThat(own).containsExactly(1);
        assertThat(all).containsExactly(0);

        cluster.drops = _ -> false;
        leaving.replicator.awaitOneWithAll(A_WHILE.toNanos(), all::add);
        cluster.pass(A_WHILE);
        assertThat(all).containsExactly(0, 1);
        assertThat(behind.value("likes")).isEqualTo(5);
    }

    @Test
    void awaitOneWithAll_whileEverybodyCounts_isAnsweredSoon() {
        List<Node> nodes = three();
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            nodes.forEach(node -> node.add("likes", 1));
            cluster.pass(Duration.ofMillis(10));
        }

        nodes.getFirst().replicator.awaitOneWithAll(A_SECOND.toNanos(), all::add);
        for (int i = 0; i < 50; i++) {
            nodes.forEach(node -> node.add("likes", 1));
            cluster.pass(Duration.ofMillis(10));
        }

        assertThat(all).hasSize(1);
        assertThat(all.getFirst()).isPositive();
    }

    @Test
    void await_whenTimeIsUp_answersHowManyHaveIt() {
        List<Node> nodes = three();
        List<Integer> answers = new ArrayList<>();
        cluster.drops = traffic -> traffic.to.equals(nodes.getLast());
        nodes.getFirst().add("likes", 5);

        nodes.getFirst().replicator.await(2, Duration.ofMillis(100).toNanos(), () -> true, answers::add);
        cluster.pass(Duration.ofMillis(99));
        assertThat(answers).isEmpty();
        cluster.pass(A_MOMENT);

        assertThat(answers).containsExactly(1);
    }

    @Test
    void await_whenTooManyWait_answersAtOnceThatNobodyHasIt() {
        List<Node> nodes = three();
        List<Integer> answers = new ArrayList<>();
        cluster.drops = _ -> true;
        nodes.getFirst().add("likes", 5);
        for (int i = 0; i < Waits.MOST; i++) {
            nodes.getFirst().replicator.await(2, Long.MAX_VALUE, () -> true, answers::add);
        }
        List<Integer> before = List.copyOf(answers);

        nodes.getFirst().replicator.await(2, Long.MAX_VALUE, () -> true, answers::add);

        assertThat(before).isEmpty();
        assertThat(answers).containsExactly(0);
    }

    @Test
    void start_aloneWithCounters_isReadyAtOnceWhenNobodyIsExpected() {
        Keyspace disk = cluster.keyspace();
        addFormer(disk, "likes", 5);
        Node node = cluster.start(SmallCluster.SETTINGS, disk);

        cluster.connect();
        cluster.pass(A_MOMENT);

        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void start_ofANodeThatMayNotServeAlone_waitsForAnotherOrAnOperator() {
        var settings = settings(true, JoiningSettings.FOR_EVER, "");
        Node one = cluster.start(settings);
        cluster.connect();
        cluster.pass(COMMON.joinTimeout().plusSeconds(10));
        assertThat(one.replicator.state()).isEqualTo(JoinState.SEEKING);
        Node other = cluster.start(settings);
        cluster.connect();
        cluster.pass(COMMON.joinTimeout().plusSeconds(10));
        assertThat(other.replicator.state()).isEqualTo(JoinState.SEEKING);

        one.replicator.ready();
        cluster.pass(A_SECOND);

        assertThat(other.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void start_ofANodeThatMayNotServeAloneAndMeetsOthersLate_hasTheirCountsWhenItIsReady() {
        Node one = cluster.start();
        cluster.connect();
        one.add("likes", 5);
        cluster.pass(A_SECOND);
        Node other = cluster.start(settings(true, JoiningSettings.FOR_EVER, ""));
        cluster.connect(List.of(other));
        cluster.pass(COMMON.joinTimeout().plusSeconds(10));
        assertThat(other.replicator.state()).isEqualTo(JoinState.SEEKING);

        cluster.connect();
        for (int i = 0; i < 1_000 && other.replicator.state() != JoinState.READY; i++) {
            cluster.pass(Duration.ofMillis(1));
        }

        assertThat(other.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(other.value("likes")).isEqualTo(5);
    }

    @Test
    void start_heldByAnOperator_isReadyWhenTheOperatorSaysSo() {
        JoiningSettings held = new JoiningSettings(false, COMMON.aloneTimeout(), COMMON.joinTimeout(), true, "");
        Node node = cluster.start(SmallCluster.settings(held));
        cluster.connect();
        cluster.pass(Duration.ofSeconds(70));
        assertThat(node.replicator.state()).isNotEqualTo(JoinState.READY);

        node.replicator.ready();

        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void node_withoutMemoryForMore_takesNothingInAsksForNothingAndStillTells() {
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
    void sides_thatFilledAPartitionApart_goOnWithoutWhatFindsNoRoom() {
        Node one = cluster.start();
        Node other = cluster.start();
        for (Node node : List.of(one, other)) {
            cluster.connect(List.of(node));
        }
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        fillAPartition(one, 'a');
        fillAPartition(other, 'b');
        one.add("likes", 1);

        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        one.add("likes", 1);
        cluster.pass(A_SECOND);

        assertThat(one.replicator.status().frames().dropped()).containsKey(DropReason.MEMORY_FULL);
        assertThat(one.value("likes")).isEqualTo(2);
        assertThat(one.replicator.state()).isEqualTo(JoinState.READY);
    }

    /// Records of more than half of a chunk have one each, of which a partition has 65,536.
    private static void fillAPartition(Node node, char first) {
        byte[] name = new byte[2_100];
        name[0] = (byte) first;
        int added = 0;
        for (int i = 0; added < 32_768; i++) {
            ByteBuffer.wrap(name).putInt(1, i);
            Key key = Key.of(name);
            if (node.keyspace.partitionOf(key) == 7) {
                node.clients.add(key, 1);
                added++;
            }
        }
    }

    @Test
    void frame_thatTellsMoreOfThisProcessThanItCounted_isDropped() throws MalformedException {
        List<Node> nodes = three();
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

    /// What `teller` would send, did it know that `session` has added so much.
    private static byte[] cellsAgain(Node teller, ReplicaId session, String key, long amount) {
        Replicas replicas = new Replicas(teller.session());
        Counter counter = new Counter().clear(CounterType.PNCOUNT);
        counter.put(counter.append(replicas.numberOf(session)), Counter.P, 0, amount);
        ByteWriter out = new ByteWriter(100);
        Frame.begin(out, Kind.CELLS_AGAIN, teller.session(), 0);
        CounterCodec codec = new CounterCodec(replicas);
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        codec.encodeKey(CounterType.PNCOUNT, name, 0, name.length, out);
        codec.encode(counter, Replicas.OWN, out);
        return Frame.seal(out, Frame.OLDEST_VERSION);
    }

    @Test
    void joiner_besideAMemberThatHearsOneOutOfView_isReadySoon() {
        Node member = cluster.start();
        Node unseen = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        member.add("likes", 5);
        cluster.pass(A_WHILE);
        cluster.showOnly(member, List.of(member));
        cluster.showOnly(unseen, List.of(unseen));
        cluster.drops = traffic -> traffic.to.equals(unseen);
        Node joiner = cluster.start(SmallCluster.SETTINGS.expectingOthers());
        cluster.reachAll();
        cluster.showOnly(member, List.of(member, joiner));
        cluster.showOnly(joiner, List.of(member, joiner));

        for (int i = 0; i < 3_000 && joiner.replicator.state() != JoinState.READY; i++) {
            unseen.add("busy", 1);
            cluster.pass(Duration.ofMillis(1));
        }

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.value("likes")).isEqualTo(5);
    }

    /// What only an absent one had counted must be asked for, and that once lost must not pass for nothing.
    @ParameterizedTest
    @EnumSource(names = {"VECTOR_ASK", "VECTOR"})
    void joiner_thatIsNotToldOfAbsentOnes_servesWithWhatTheyCounted(Kind lost) {
        Node member = cluster.start();
        Node writer = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        writer.add("likes", 5);
        cluster.pass(A_WHILE);
        cluster.kill(writer);
        cluster.pass(Duration.ofSeconds(10));
        cluster.drops = traffic -> traffic.kind == lost;
        Node joiner = cluster.start();
        cluster.connect();

        for (int i = 0; i < 5_000 && joiner.replicator.state() != JoinState.READY; i++) {
            cluster.pass(Duration.ofMillis(1));
        }

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.value("likes")).isEqualTo(member.value("likes")).isEqualTo(5);
    }

    /// A third counted, one member heard all of it, the other a part; and a joiner pulls a half from each.
    @Test
    void joiner_ofMembersThatKnowDifferentPartsOfAnAbsentOne_servesWithAllOfThem() {
        Node knows = cluster.start();
        Node lacks = cluster.start();
        Node writer = cluster.start();
        cluster.connect();
        cluster.pass(A_WHILE);
        knows.add("likes", 1);
        cluster.pass(A_WHILE);
        cluster.drops = traffic -> traffic.to.equals(lacks) && !traffic.from.equals(knows);
        for (int i = 0; i < 200; i++) {
            writer.add("key-" + i, 1);
        }
        cluster.pass(A_SECOND);
        cluster.kill(writer);
        cluster.drops =
                traffic -> traffic.kind == Kind.VECTOR || (traffic.kind == Kind.SUMS_ASK && traffic.from.equals(lacks));
        Node joiner = cluster.start();
        cluster.connect();

        for (int i = 0; i < 5_000 && joiner.replicator.state() != JoinState.READY; i++) {
            cluster.pass(Duration.ofMillis(1));
            if (i == 2_000) {
                cluster.drops = _ -> false;
            }
        }

        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiner.keyspace.cells()).isEqualTo(201);
    }

    /// All lack the same as long as the only one that serves is silent.
    @Test
    void joiners_besideAMemberThatIsNotHeardYet_waitForIt() {
        Node member = cluster.start();
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        member.add("likes", 5);
        cluster.pass(A_WHILE);
        cluster.drops = traffic -> traffic.from.equals(member) && traffic.kind != Kind.DELTA;
        List<Node> joiners = List.of(cluster.start(), cluster.start());
        cluster.connect();
        cluster.pass(A_SECOND);
        List<JoinState> whileItIsSilent =
                joiners.stream().map(joiner -> joiner.replicator.state()).toList();
        cluster.drops = _ -> false;
        for (int i = 0; i < 5_000 && joiners.getFirst().replicator.state() != JoinState.READY; i++) {
            cluster.pass(Duration.ofMillis(1));
        }

        assertThat(whileItIsSilent).doesNotContain(JoinState.READY);
        assertThat(joiners.getFirst().replicator.state()).isEqualTo(JoinState.READY);
        assertThat(joiners.getFirst().value("likes")).isEqualTo(5);
    }

    /// Who came back asks for so much that it takes seconds.
    @Test
    void joiner_pullsWhileItsProviderAnswersOthers() {
        ReplicationSettings slow = settings(COMMON.joinTimeout(), 200_000);
        Node provider = cluster.start(slow);
        Node cutOff = cluster.start(slow);
        cluster.connect();
        cluster.pass(A_WHILE);
        cluster.connect(List.of(provider));
        cluster.connect(List.of(cutOff));
        for (int i = 0; i < 200_000; i++) {
            provider.add("key-" + i, 1);
        }
        cluster.pass(Duration.ofSeconds(20));
        cluster.connect();
        cluster.pass(A_WHILE);
        Node joiner = cluster.start(settings(COMMON.joinTimeout(), 200_000, "node-1"));
        cluster.connect();

        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThat(cutOff.keyspace.cells()).isBetween(1_000L, 199_000L);
        assertThat(joiner.keyspace.cells()).isGreaterThan(1_000);
    }

    /// Counters of others may come before the first view, and are not what its disk had.
    @Test
    void emptyNode_thatHearsOthersOutOfView_waitsForThem() {
        Node member = cluster.start();
        cluster.connect(List.of(member));
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        Node joiner = cluster.start();
        cluster.reachAll();
        member.add("likes", 5);
        cluster.pass(A_MOMENT);
        cluster.showOnly(joiner, List.of(joiner));
        cluster.pass(A_SECOND);
        JoinState soon = joiner.replicator.state();

        cluster.pass(COMMON.aloneTimeout());

        assertThat(joiner.value("likes")).isEqualTo(5);
        assertThat(soon).isEqualTo(JoinState.SEEKING);
        assertThat(joiner.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void start_ofANodeThatStoodStill_waitsAsLongAsIfItHadNot() {
        Node node = cluster.start();
        cluster.connect(List.of(node));
        cluster.pass(A_SECOND);

        node.standsStill = true;
        cluster.pass(COMMON.joinTimeout().plusSeconds(10));
        node.standsStill = false;
        cluster.pass(A_MOMENT);
        JoinState soon = node.replicator.state();
        cluster.pass(COMMON.aloneTimeout());

        assertThat(soon).isEqualTo(JoinState.SEEKING);
        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void await_whenAPeerTellsOfMoreThanWasSent_doesNotCountIt() {
        List<Node> nodes = three();
        Node node = nodes.getFirst();
        List<Integer> answers = new ArrayList<>();
        cluster.drops = traffic -> traffic.from.equals(node) || traffic.to.equals(node);
        node.add("likes", 5);
        node.replicator.await(1, Duration.ofSeconds(1).toNanos(), () -> true, answers::add);

        ByteWriter out = new ByteWriter(100);
        Frame.begin(out, Kind.HAS, nodes.getLast().session(), 0);
        out.varint(1_000_000);
        node.replicator.onFrame(nodes.getLast().session(), Frame.seal(out, Frame.OLDEST_VERSION));
        cluster.pass(A_WHILE);

        assertThat(answers).containsExactly(0);
        assertThat(node.records.chronicle().newest(1_000))
                .extracting(Event::text)
                .anyMatch(text -> text.contains("has more frames of this process than it has sent"));
    }

    @Test
    void start_ofANodeWithoutCountersThatSeesNobody_waitsBeforeItServes() {
        Node node = cluster.start();
        cluster.connect(List.of(node));

        cluster.pass(COMMON.aloneTimeout().minusSeconds(1));
        JoinState before = node.replicator.state();
        cluster.pass(A_WHILE);

        assertThat(before).isEqualTo(JoinState.SEEKING);
        assertThat(node.replicator.state()).isEqualTo(JoinState.READY);
    }

    @Test
    void joiner_thatGetsOn_takesLongerThanItsTimeoutUntilItHasAll() {
        ReplicationSettings slow = settings(A_SECOND, 1 << 15);
        Node member = cluster.start(slow);
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        for (int i = 0; i < 20_000; i++) {
            member.add("key-" + i, i);
        }
        cluster.pass(Duration.ofSeconds(20));
        Node joiner = cluster.start(slow);
        cluster.connect();

        int seconds = 0;
        for (; joiner.replicator.state() != JoinState.READY && seconds < 60; seconds++) {
            cluster.pass(A_SECOND);
        }

        assertThat(seconds).isGreaterThan(2);
        assertThatAllAgree();
    }

    @Test
    void joiner_thatCatchesUpForLongerThanItsTimeout_servesWhenItHasAll() {
        Node donor = cluster.start();
        Node writer = cluster.start();
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);
        cluster.drops = traffic -> traffic.from.equals(writer);
        for (int i = 0; i < 20_000; i++) {
            writer.add("key-" + i, 1);
        }
        cluster.pass(A_SECOND);
        Duration timeout = Duration.ofSeconds(4);
        Node joiner = cluster.start(settings(timeout, 1 << 26, "node-1"));
        Queue<Traffic> answers = new ArrayDeque<>();
        cluster.drops = traffic -> (traffic.from.equals(writer) && traffic.to.equals(donor))
                || (traffic.kind == Kind.ANSWER && answers.add(traffic));
        cluster.connect();

        int seconds = 0;
        for (; joiner.replicator.state() != JoinState.READY && seconds < 60; seconds++) {
            cluster.pass(A_SECOND);
            Traffic answer = answers.poll();
            if (answer != null) {
                answer.arrive();
            }
        }

        assertThat(donor.keyspace.cells()).isZero();
        assertThat(seconds).isGreaterThan((int) timeout.toSeconds() + 2);
        assertThat(joiner.keyspace.cells()).isEqualTo(20_000);
    }

    private static ReplicationSettings settings(Duration joinTimeout, long bulkBytesPerSecond) {
        return settings(joinTimeout, bulkBytesPerSecond, "");
    }

    private static ReplicationSettings settings(Duration joinTimeout, long bulkBytesPerSecond, String donor) {
        JoiningSettings joining = new JoiningSettings(false, COMMON.aloneTimeout(), joinTimeout, false, donor);
        return new ReplicationSettings(joining, bulkBytesPerSecond, 0, Long.MAX_VALUE, Frame.OLDEST_VERSION);
    }

    @Test
    void quietCluster_sendsBeatsOnly() {
        List<Node> nodes = three();
        nodes.getFirst().add("likes", 5);
        cluster.pass(A_WHILE);
        List<Kind> before = nodes.getFirst().sent();

        cluster.pass(A_WHILE);

        assertThat(nodes.getFirst().sent()).isEqualTo(before);
    }

    @Test
    void healedNetwork_whoseFramesComeBeforeTheView_makesNobodyCompareEverything() {
        List<Node> nodes = three();
        cluster.connect(nodes.subList(0, 2));
        cluster.connect(nodes.subList(2, 3));
        countFor(nodes, LONG_ENOUGH_TO_STAY_AWAY);

        cluster.reachAll();
        countFor(nodes, Duration.ofMillis(300));
        cluster.connect();
        cluster.pass(LONG_ENOUGH_TO_STAY_AWAY);

        assertThatAllAgree();
        assertThat(nodes).allSatisfy(node -> assertThat(node.sent()).doesNotContain(Kind.SUMS_ASK));
    }

    private void countFor(List<Node> nodes, Duration time) {
        for (int i = 0; i < time.dividedBy(A_MOMENT); i++) {
            String key = "key-" + i % 50;
            nodes.forEach(node -> node.add(key, 1));
            cluster.pass(A_MOMENT);
        }
    }

    private Node startUntilItPullsFrom(List<Node> nodes) {
        for (int i = 0; i < 5_000; i++) {
            nodes.getFirst().add("key-" + i, i);
        }
        cluster.pass(A_WHILE);
        Node joiner = cluster.start();
        cluster.connect();
        while (joiner.replicator.state() != JoinState.PULLING) {
            cluster.pass(A_MOMENT);
        }
        return joiner;
    }

    private List<Node> three() {
        for (int i = 0; i < 3; i++) {
            cluster.start();
        }
        cluster.connect();
        cluster.pass(Duration.ofSeconds(1));
        assertThat(cluster.nodes)
                .allSatisfy(node -> assertThat(node.replicator.state()).isEqualTo(JoinState.READY));
        return List.copyOf(cluster.nodes);
    }

    private static ReplicationSettings settings(long mostBytes) {
        return new ReplicationSettings(COMMON, 1 << 26, 0, mostBytes, Frame.OLDEST_VERSION);
    }

    private static ReplicationSettings settings(boolean expectsOthers, Duration aloneTimeout, String donor) {
        return SmallCluster.settings(
                new JoiningSettings(expectsOthers, aloneTimeout, COMMON.joinTimeout(), false, donor));
    }

    private void assertThatAllAgree() {
        Keyspace first = cluster.nodes.getFirst().keyspace;
        assertThat(cluster.nodes).allSatisfy(node -> {
            for (int partition = 0; partition < Keyspace.PARTITIONS; partition++) {
                assertThat(node.keyspace.digest(partition)).isEqualTo(first.digest(partition));
            }
        });
    }

    /// What a session that is gone once added.
    private static void addFormer(Keyspace disk, String key, long amount) {
        Counter counter = new Counter().clear(CounterType.PNCOUNT);
        counter.add(disk.replicas().numberOf(new ReplicaId(99, key.hashCode())), amount);
        new Counters(disk, ChangeLog.NONE).restore(Key.of(key.getBytes(StandardCharsets.UTF_8)), counter);
    }
}
