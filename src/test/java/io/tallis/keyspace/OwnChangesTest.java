package io.tallis.keyspace;

import static io.tallis.keyspace.Keyspaces.key;
import static io.tallis.keyspace.Keyspaces.keyspace;
import static io.tallis.keyspace.Keyspaces.namesIn;
import static io.tallis.keyspace.Keyspaces.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Invariant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class OwnChangesTest {
    /// The last frame with a stamp of its own.
    private static final long LAST = ((1L << 36) - 3 * 16) + 15;

    private static final int ALL = Integer.MAX_VALUE;

    private final Keyspace keyspace = keyspace(1);
    private final Counters counters = new Counters(keyspace, ChangeLog.NONE);
    private final OwnChanges own = keyspace.ownChanges();

    @AfterEach
    void audit() {
        KeyspaceAudit.check(keyspace);
    }

    @Test
    void ownChange_untracked_isNotMarked() {
        counters.add(key("a"), 1);

        assertThat(own.any()).isFalse();
        assertThat(drain(ALL, 1)).isEmpty();
        assertThat(keyspace.marked(Keyspace.Consumer.REPLICATOR)).isZero();
    }

    @Test
    void track_twice_isAMistake() {
        own.track();

        assertThatThrownBy(own::track).isInstanceOf(Invariant.InvariantViolation.class);
    }

    @Test
    void ownChange_ofEveryKind_isMarked() {
        counters.add(key("deleted"), 1);
        own.track();

        counters.add(key("added"), 1);
        counters.increment(key("incremented"), 0);
        counters.grow(key("grown"), 1);
        counters.assign(key("set"), 0, Counters.KEEP);
        counters.delete(CounterType.PNCOUNT, key("deleted"));

        assertThat(own.any()).isTrue();
        assertThat(keyspace.marked(Keyspace.Consumer.REPLICATOR)).isEqualTo(5);
        assertThat(drain(ALL, 1)).containsExactlyInAnyOrder("added", "incremented", "grown", "set", "deleted");
    }

    @Test
    void changeOfNothing_isNotMarked() {
        own.track();

        counters.add(key("a"), 0);
        counters.grow(key("a"), 0);
        counters.delete(key("a"));

        assertThat(own.any()).isFalse();
    }

    @Test
    void cellsFromPeersAndDisk_areNotMarked() {
        own.track();
        Cell other = new Cell();
        other.add(keyspace.replicas().numberOf(new ReplicaId(9, 9)), 4);

        new Merges(counters.keyspace(), counters.log()).merge(key("merged"), other);
        other.reset();
        new Merges(counters.keyspace(), counters.log()).merge(key("merged"), other);
        new Merges(counters.keyspace(), counters.log()).restore(key("restored"), other);
        keyspace.markAll();

        assertThat(own.any()).isFalse();
        assertThat(keyspace.marked(Keyspace.Consumer.CHECKPOINT)).isEqualTo(2);
    }

    @Test
    void drain_ofACellThatChangedOften_showsItsLastStateOnce() {
        own.track();
        counters.add(key("a"), 1);
        counters.add(key("a"), 2);

        List<Long> values = new ArrayList<>();
        own.drain(ALL, (_, _, counter) -> {
            values.add(counter.value());
            return 1;
        });

        assertThat(values).containsExactly(3L);
        assertThat(drain(ALL, 2)).isEmpty();
    }

    @Test
    void drain_keepsTheMarksForTheCheckpoint() {
        own.track();
        counters.add(key("a"), 1);

        drain(ALL, 1);

        assertThat(keyspace.marked(Keyspace.Consumer.CHECKPOINT)).isEqualTo(1);
    }

    @Test
    void drain_afterTablesGrew_stillKnowsWhatChanged() {
        own.track();
        List<String> names = namesIn(7, 2_000);
        names.forEach(name -> counters.add(key(name), 1));

        assertThat(drain(ALL, 1)).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void drain_endedByItsBudget_goesOnWithTheNextPartition() {
        own.track();
        List<String> hot = namesIn(7, 10);
        hot.forEach(name -> counters.add(key(name), 1));
        counters.add(key(namesIn(3, 1).getFirst()), 1);
        counters.add(key(namesIn(8, 1).getFirst()), 1);

        assertThat(drain(5, 1)).contains(namesIn(3, 1).getFirst()).hasSize(5);
        assertThat(drain(1, 1)).isEqualTo(namesIn(8, 1));
        assertThat(drain(6, 1)).hasSize(6).isSubsetOf(hot);
        assertThat(own.any()).isFalse();
    }

    @Test
    void watchedIsSent_whenAllWatchedIsShown_isTrueDespiteLaterChanges() {
        own.track();
        counters.add(key(namesIn(7, 1).getFirst()), 1);
        own.watch();
        counters.add(key(namesIn(3, 1).getFirst()), 1);
        assertThat(own.watchedIsSent()).isFalse();

        assertThat(drain(1, 1)).isEqualTo(namesIn(3, 1));
        assertThat(own.watchedIsSent()).isFalse();
        counters.add(key(namesIn(3, 1).getFirst()), 1);
        assertThat(drain(1, 1)).isEqualTo(namesIn(7, 1));

        assertThat(own.watchedIsSent()).isTrue();
        assertThat(own.any()).isTrue();
    }

    @Test
    void watchedIsSent_whenNothingWasDue_isTrue() {
        own.track();

        own.watch();

        assertThat(own.watchedIsSent()).isTrue();
    }

    @Test
    void drain_ofCellsThatKeepChanging_starvesNone() {
        own.track();
        List<String> names = namesIn(7, 50);
        names.forEach(name -> counters.add(key(name), 1));

        List<String> drained = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            List<String> shown = drain(1, 1);
            shown.forEach(name -> counters.add(key(name), 1));
            drained.addAll(shown);
        }

        assertThat(drained).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void drain_whoseSenderThrows_keepsTheMark() {
        own.track();
        namesIn(7, 3).forEach(name -> counters.add(key(name), 1));

        assertThatThrownBy(() -> own.drain(ALL, (_, _, _) -> {
                    throw new IllegalArgumentException();
                }))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(own.any()).isTrue();
        assertThat(drain(ALL, 1)).hasSize(3);
    }

    @Test
    void visitSince_showsCellsOfLaterFrames() {
        own.track();
        send("old", 100);
        send("new", 200);
        counters.add(key("unsent"), 1);

        assertThat(since(0)).containsExactlyInAnyOrder("old", "new");
        assertThat(since(99)).containsExactlyInAnyOrder("old", "new");
        assertThat(since(120)).containsExactly("new");
        assertThat(since(199)).containsExactly("new");
        assertThat(since(220)).isEmpty();
    }

    @Test
    void visitSince_ofACellThatWasSentAgain_countsTheLastFrame() {
        own.track();
        send("a", 1);
        send("a", 1_000_000);

        assertThat(since(900_000)).containsExactly("a");
    }

    @Test
    void visitSince_untracked_showsNothing() {
        counters.add(key("a"), 1);

        assertThat(since(0)).isEmpty();
    }

    @Test
    void visitSince_withoutRoom_endsAfterSomeCells() {
        own.track();
        namesIn(7, 1_000).forEach(name -> counters.add(key(name), 1));
        drain(ALL, 1);

        List<String> shown = new ArrayList<>();
        long cursor = own.visitSince(0, 0, () -> false, (_, key, _) -> shown.add(text(key)));

        assertThat(cursor >>> 32).isEqualTo(7);
        assertThat(shown).hasSizeBetween(1, 100);
    }

    @Test
    void visitSince_withFewMatches_isBounded() {
        own.track();
        Map<Integer, String> names = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            counters.add(key("k" + i), 1);
            names.put(keyspace.partitionOf(key("k" + i)), "k" + i);
        }
        drain(ALL, 1);
        names.values().forEach(name -> counters.add(key(name), 1));
        drain(ALL, 100);

        int[] asked = new int[1];
        List<String> shown = new ArrayList<>();
        long cursor = 0;
        int calls = 0;
        do {
            asked[0] = 0;
            cursor = own.visitSince(50, cursor, () -> ++asked[0] > 0, (_, key, _) -> shown.add(text(key)));
            assertThat(asked[0]).isLessThanOrEqualTo(800);
            calls++;
        } while (cursor != 0);

        assertThat(calls).isGreaterThan(1);
        assertThat(shown).containsExactlyInAnyOrderElementsOf(names.values());
    }

    @Test
    void stamps_moveWithTheirCells() {
        own.track();
        List<String> names = namesIn(7, 3_000);
        names.subList(0, 1_000).forEach(name -> send(name, 1));
        send(names.get(17), 100);

        names.subList(1_000, 3_000).forEach(name -> counters.add(key(name), 1));
        names.forEach(name -> counters.add(key(name), 1L << 40));
        names.forEach(name -> counters.add(key(name), -5));

        assertThat(since(50)).containsExactly(names.get(17));
        assertThat(since(0)).containsExactlyInAnyOrderElementsOf(names.subList(0, 1_000));
    }

    @Test
    void stamps_takeMemoryFromTheFirstOneOn() {
        own.track();
        counters.add(key("a"), 1);
        long before = keyspace.bytesUsed();
        long indexBefore = keyspace.indexBytes();

        drain(ALL, 1);
        assertThat(keyspace.bytesUsed() - before).isEqualTo(64);
        assertThat(keyspace.indexBytes() - indexBefore).isEqualTo(64);
    }

    @Test
    void visitFrom_saysWhichCellsWereSent() {
        own.track();
        send("sent", 1);
        counters.add(key("unsent"), 1);
        Cell other = new Cell();
        other.add(keyspace.replicas().numberOf(new ReplicaId(9, 9)), 4);
        new Merges(counters.keyspace(), counters.log()).merge(key("merged"), other);

        List<String> shown = new ArrayList<>();
        long cursor = 0;
        do {
            cursor = own.visitFrom(cursor, 1, (_, key, _, sent) -> shown.add(text(key) + " " + sent));
        } while (cursor != 0);

        assertThat(shown).containsExactlyInAnyOrder("sent true", "unsent false", "merged false");
    }

    private void send(String name, long frame) {
        counters.add(key(name), 1);
        assertThat(drain(ALL, frame)).contains(name);
    }

    private List<String> drain(int budget, long frame) {
        List<String> drained = new ArrayList<>();
        int shown = own.drain(budget, (_, key, _) -> {
            drained.add(text(key));
            return frame;
        });
        assertThat(shown).isEqualTo(drained.size());
        return drained;
    }

    private List<String> since(long frame) {
        return Keyspaces.since(own, frame);
    }

    @Test
    void stampOf_anyFrame_isNotNever() {
        assertThat(OwnChanges.stampOf(1)).isEqualTo(1);
        assertThat(OwnChanges.stampOf(15)).isEqualTo(1);
        assertThat(OwnChanges.stampOf(16)).isEqualTo(2);
        assertThat(Integer.toUnsignedLong(OwnChanges.stampOf(LAST))).isEqualTo((1L << 32) - 2);
    }

    @Test
    void stampOf_framesBeyondTheLargestStamp_isFoundForAnyOfThem() {
        assertThat(Integer.toUnsignedLong(OwnChanges.stampOf(LAST + 1)))
                .isGreaterThanOrEqualTo(OwnChanges.leastStampAfter(LAST + 100));
        assertThat(Integer.toUnsignedLong(OwnChanges.stampOf(Long.MAX_VALUE)))
                .isGreaterThanOrEqualTo(OwnChanges.leastStampAfter(Long.MAX_VALUE));
    }

    @Test
    void stampOf_aFrameBelowTheFirst_isAMistake() {
        assertThatThrownBy(() -> OwnChanges.stampOf(0)).isInstanceOf(Invariant.InvariantViolation.class);
        assertThatThrownBy(() -> OwnChanges.stampOf(-1)).isInstanceOf(Invariant.InvariantViolation.class);
    }

    @Test
    void leastStampAfter_aFrame_findsAllLaterOnesAndAtMostFifteenBefore() {
        for (long frame = 0; frame < 100; frame++) {
            for (long sent = 1; sent < 200; sent++) {
                boolean taken = Integer.toUnsignedLong(OwnChanges.stampOf(sent)) >= OwnChanges.leastStampAfter(frame);

                if (sent > frame) {
                    assertThat(taken).isTrue();
                } else if (sent <= frame - 15) {
                    assertThat(taken).isFalse();
                }
            }
        }
    }
}
