package io.tallis.keyspace;

import static io.tallis.crdt.CounterType.GCOUNT;
import static io.tallis.crdt.CounterType.PNCOUNT;
import static io.tallis.keyspace.Keyspaces.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CellGen;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.testing.Property;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// The end of counters at their deadline, and the end of their cells, by a clock that the test sets.
final class ExpiryTest {
    private static final long START = 1_000_000;
    private static final long GRACE = 60_000;
    private static final long DROPPED_AFTER = GRACE + Expiry.SKEW_MILLIS;

    private final Node node = new Node(1);
    private final Node peer = new Node(2);

    // Ending

    @Test
    void counter_atItsDeadline_endsForReaders() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);

        node.time = START + 9;
        assertThat(node.value("a")).isEqualTo(5);
        assertThat(node.counters.exists(key("a"))).isTrue();

        node.time = START + 10;
        assertThat(node.counters.read(PNCOUNT, key("a"))).isFalse();
        assertThat(node.counters.exists(key("a"))).isFalse();
        assertThat(node.counters.value()).isZero();
        assertThat(node.counters.delete(key("a"))).isFalse();
        assertThat(node.counters.expireAt(PNCOUNT, key("a"), START + 99)).isFalse();
    }

    @Test
    void scan_ofACounterAtItsDeadline_showsItAsReset() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        node.time = START + 10;
        int[] living = {0};

        node.keyspace.scan(0, 10, (_, _, cell) -> living[0] += cell.exists() ? 1 : 0);

        assertThat(living[0]).isZero();
    }

    @Test
    void sweep_atTheDeadline_countsNoKeyAnyMore() {
        node.counters.add(key("a"), 5);
        node.counters.grow(key("a"), 5);
        node.counters.add(key("b"), 5);
        node.expireAt("a", START + 10);
        node.expireAt("b", START + 10);
        assertThat(node.keyspace.keys()).isEqualTo(2);
        assertThat(node.keyspace.dated()).isEqualTo(2);

        node.time = START + 9;
        node.sweep();
        assertThat(node.keyspace.dated()).isEqualTo(2);

        node.time = START + 10;
        node.sweep();

        assertThat(node.keyspace.keys()).isEqualTo(1);
        assertThat(node.keyspace.dated()).isZero();
        assertThat(node.keyspace.deletedCells()).isEqualTo(2);
        assertThat(node.keyspace.expiry().ended()).isEqualTo(2);
        assertThat(node.counters.read(GCOUNT, key("a"))).isTrue();
    }

    @Test
    void text_atItsDeadline_ends() {
        byte[] text = {'x'};
        node.counters.assign(key("a"), text, 0, 1, START + 10);
        node.time = START + 10;

        assertThat(node.counters.exists(key("a"))).isFalse();
        assertThat(node.counters.increment(key("a"), 2)).isEqualTo(Counters.Increment.DONE);
        assertThat(node.value("a")).isEqualTo(2);
    }

    @Test
    void increment_afterTheEnd_beginsAtZeroWithoutADeadline() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        node.time = START + 10;

        node.counters.add(key("a"), 2);

        assertThat(node.value("a")).isEqualTo(2);
        assertThat(node.counters.cell().life().hasDeadline()).isFalse();
        assertThat(node.keyspace.dated()).isZero();
        node.time = START + 10 * DROPPED_AFTER;
        node.sweep();
        assertThat(node.value("a")).isEqualTo(2);
        assertThat(node.keyspace.keys()).isEqualTo(1);
    }

    @Test
    void deadline_thatIsExtended_endsLater() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        node.expireAt("a", START + 20);

        node.time = START + 19;
        node.sweep();
        assertThat(node.value("a")).isEqualTo(5);

        node.time = START + 20;
        node.sweep();
        assertThat(node.keyspace.keys()).isZero();
    }

    @Test
    void deadline_thatIsTakenAway_doesNotCome() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        node.expireAt("a", Life.NEVER);

        node.time = START + 10 * DROPPED_AFTER;
        node.sweep();

        assertThat(node.value("a")).isEqualTo(5);
        assertThat(node.keyspace.dated()).isZero();
    }

    @Test
    void assign_takesTheDeadlineAwayKeepsItOrSetsOne() {
        node.counters.assign(key("a"), 1, START + 10);
        node.counters.assign(key("a"), 2, Counters.KEEP);
        assertThat(node.life("a").deadline()).isEqualTo(START + 10);

        node.counters.assign(key("a"), 3, START + 20);
        assertThat(node.life("a").deadline()).isEqualTo(START + 20);

        node.counters.assign(key("a"), 4, Life.NEVER);
        assertThat(node.life("a").hasDeadline()).isFalse();
        assertThat(node.keyspace.dated()).isZero();
    }

    /// What is recorded is what a start will find.
    @Test
    void delete_ofACounterThatIsDeletedAlready_recordsTheCellAsItIs() {
        Cell[] recorded = {null};
        Counters counters = new Counters(node.keyspace, new ChangeLog() {
            @Override
            public void record(Key key, Cell cell, boolean whole) {
                recorded[0] = CellGen.copyOf(cell);
            }

            @Override
            public void beginGroup() {}

            @Override
            public void endGroup() {}
        });
        counters.add(key("a"), 5);
        counters.expireAt(PNCOUNT, key("a"), START + 10);
        counters.delete(PNCOUNT, key("a"));
        recorded[0] = null;

        assertThat(counters.delete(PNCOUNT, key("a"))).isFalse();

        assertThat(CellGen.show(recorded[0])).isEqualTo(CellGen.show(node.copyOf(PNCOUNT, "a")));
    }

    /// Entries may wait for long while the process stands still.
    @Test
    void entry_ofACellThatWasDroppedMeanwhile_isSent() {
        OwnChanges own = node.keyspace.ownChanges();
        own.track();
        Counters counters = new Counters(node.keyspace, ChangeLog.NONE, own.newRing());
        counters.assign(key("a"), 5, START + 10);
        counters.increment(key("b"), 5);
        node.time = START + 10 + DROPPED_AFTER;
        node.sweep();
        int[] sent = {0};

        own.drainEntries(new OwnChanges.EntrySender() {
            @Override
            public long send(byte[] array, int offset, int length) {
                sent[0]++;
                return 10_000;
            }

            @Override
            public boolean takesMore() {
                return true;
            }
        });

        assertThat(sent[0]).isEqualTo(2);
        KeyspaceAudit.check(node.keyspace);
    }

    @Test
    void digest_withAShortGrace_showsWhatLives() {
        node.keyspace.expiry().graceMillis(1_000);
        peer.keyspace.expiry().graceMillis(1_000);
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 2_000);
        peer.takes("a", node);
        peer.counters.add(key("a"), 7);
        int partition = node.keyspace.partitionOf(key("a"));

        assertThat(node.keyspace.digest(partition)).isNotEqualTo(peer.keyspace.digest(partition));
        node.takes("a", peer);
        assertThat(node.keyspace.digest(partition)).isEqualTo(peer.keyspace.digest(partition));
    }

    // Dropping

    @Test
    void cell_isDroppedWhenAllCopiesHaveEnded() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 100);
        node.expireAt("a", START + 10);

        node.time = START + 100 + DROPPED_AFTER - 1;
        node.sweep();
        assertThat(node.keyspace.cells()).isEqualTo(1);

        node.time++;
        node.sweep();
        assertThat(node.keyspace.cells()).isZero();
        assertThat(node.keyspace.expiry().dropped()).isEqualTo(1);
    }

    @Test
    void cell_thatWasDeletedBeforeItsDeadline_isDroppedToo() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        node.counters.delete(key("a"));
        assertThat(node.keyspace.dated()).isZero();

        node.time = START + 10 + DROPPED_AFTER;
        node.sweep();

        assertThat(node.keyspace.cells()).isZero();
    }

    @Test
    void cellsThatAreDeleted_onANodeAlone_areDropped() {
        node.keyspace.expiry().alone(true);
        node.counters.add(key("a"), 5);
        node.counters.add(key("b"), 5);
        node.counters.set(key("c"), 7, Life.NEVER);
        node.keyspace.age();
        node.keyspace.age();

        assertThat(node.counters.delete(key("a"))).isTrue();
        assertThat(node.counters.delete(key("c"))).isTrue();
        node.counters.add(key("a"), 3);
        node.time = START + DROPPED_AFTER;
        node.sweep();

        assertThat(node.value("a")).isEqualTo(3);
        assertThat(node.value("b")).isEqualTo(5);
        assertThat(node.keyspace.cells()).isEqualTo(2);
    }

    @Test
    void cellThatIsDeletedLongBeforeItsDeadline_onANodeAlone_isDropped() {
        node.keyspace.expiry().alone(true);
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 100 * DROPPED_AFTER);

        assertThat(node.counters.delete(key("a"))).isTrue();
        node.time = START + DROPPED_AFTER;
        node.sweep();

        assertThat(node.keyspace.cells()).isZero();
    }

    @Test
    void oldCellThatExpires_onANodeAlone_isDropped() {
        node.keyspace.expiry().alone(true);
        node.counters.add(key("a"), 5);
        node.keyspace.age();
        node.keyspace.age();

        node.expireAt("a", START + 10);
        node.time = START + 10 + DROPPED_AFTER;
        node.sweep();

        assertThat(node.keyspace.cells()).isZero();
    }

    @Test
    void cell_thatOldCopiesHaveWithoutADeadline_staysAsATombstone() {
        node.counters.add(key("a"), 5);
        node.keyspace.age();
        node.keyspace.age();
        node.expireAt("a", START + 10);

        node.time = START + 100 * DROPPED_AFTER;
        node.sweep();

        assertThat(node.keyspace.keys()).isZero();
        assertThat(node.keyspace.cells()).isEqualTo(1);
    }

    @Test
    void memory_ofDroppedCells_returns() {
        String padding = "-".repeat(200);
        for (int i = 0; i < 40_000; i++) {
            node.counters.assign(key("key:" + i + padding), i, START + 10);
        }
        long most = node.keyspace.bytesUsed();
        node.time = START + 10 + DROPPED_AFTER;

        node.sweep();

        assertThat(node.keyspace.cells()).isZero();
        assertThat(node.keyspace.bytesUsed()).isLessThan(most / 3);
    }

    @Test
    void sweep_whileAPartitionIsPinned_dropsLater() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        node.time = START + 10 + DROPPED_AFTER;
        Partition partition = node.keyspace.partition(node.keyspace.partitionOf(key("a")));
        partition.pin(true);
        node.sweep();
        assertThat(node.keyspace.cells()).isEqualTo(1);
        assertThat(node.keyspace.keys()).isZero();

        partition.pin(false);
        node.time++;
        node.sweep();

        assertThat(node.keyspace.cells()).isZero();
    }

    @Test
    void increment_afterTheDrop_beginsAtZero() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        node.time = START + 10 + DROPPED_AFTER;
        node.sweep();

        node.counters.add(key("a"), 2);

        assertThat(node.value("a")).isEqualTo(2);
        assertThat(node.shard("a", Counter.P)).isEqualTo(2);
        assertThat(node.shard("a", Counter.RP)).isZero();
    }

    /// The sweep may be late.
    @Test
    void increment_whenTheDropIsDue_isTheSame() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        node.time = START + 10 + DROPPED_AFTER;

        node.counters.add(key("a"), 2);

        assertThat(node.value("a")).isEqualTo(2);
        assertThat(node.shard("a", Counter.P)).isEqualTo(2);
        assertThat(node.life("a").isEmpty()).isTrue();
        assertThat(node.keyspace.keys()).isEqualTo(1);
    }

    @Test
    void increment_afterADropOutOfReach_beginsAtTheFloor() {
        node.keyspace.expiry().inReach(false);
        node.counters.add(key("a"), 5);
        node.counters.add(key("a"), -3);
        node.expireAt("a", START + 10);
        node.time = START + 10 + DROPPED_AFTER;
        node.sweep();

        node.counters.add(key("a"), 2);
        node.counters.add(key("other"), 2);

        assertThat(node.value("a")).isEqualTo(2);
        assertThat(node.shard("a", Counter.P)).isEqualTo(7);
        assertThat(node.shard("a", Counter.RP)).isEqualTo(5);
        assertThat(node.shard("a", Counter.N)).isEqualTo(3);
        assertThat(node.shard("a", Counter.RN)).isEqualTo(3);
        assertThat(node.shard("other", Counter.P)).isEqualTo(2);
    }

    @Test
    void increment_afterADropOutOfReach_beginsAtZeroOnceAllAreInReachForLong() {
        node.keyspace.expiry().inReach(false);
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        node.time = START + 10 + DROPPED_AFTER;
        node.sweep();
        node.keyspace.expiry().inReach(true);
        node.time += TimeUnit.HOURS.toMillis(1);
        node.sweep();

        node.counters.add(key("a"), 2);

        assertThat(node.shard("a", Counter.P)).isEqualTo(2);
    }

    @Test
    void growth_afterADropOutOfReach_isWellFormed() {
        node.keyspace.expiry().inReach(false);
        node.counters.add(key("a"), 5);
        node.counters.add(key("a"), -3);
        node.expireAt("a", START + 10);
        node.time = START + 10 + DROPPED_AFTER;
        node.sweep();

        node.counters.grow(key("b"), 2);

        assertThat(node.counters.read(GCOUNT, key("b"))).isTrue();
        assertThat(node.counters.value()).isEqualTo(2);
        assertThat(node.counters.cell().isWellFormed()).isTrue();
    }

    // Peers

    @Test
    void copy_thatComesTooLate_isIgnored() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        peer.time = START + 10 + GRACE;

        assertThat(peer.takes("a", node)).isEqualTo(Counter.Merged.NOTHING_NEW);

        assertThat(peer.keyspace.cells()).isZero();
    }

    /// Its sender counted before it heard that the deadline was extended.
    @Test
    void copy_thatIsOverWithinTheGrace_countsInALongerLife() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        peer.takes("a", node);
        peer.counters.add(key("a"), 2);
        node.expireAt("a", START + 2 * GRACE);
        node.time = START + 9 + GRACE;

        node.takes("a", peer);

        assertThat(node.value("a")).isEqualTo(7);
    }

    /// The peer was cut off, or stood still.
    @Test
    void extension_thatAPeerHearsOfAfterTheDeadline_counts() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        peer.takes("a", node);
        node.expireAt("a", START + GRACE);
        node.counters.add(key("a"), 2);
        node.time = START + 10;
        peer.time = START + 10;
        peer.sweep();
        assertThat(peer.keyspace.keys()).isZero();

        node.takes("a", peer);
        peer.takes("a", node);

        assertThat(node.value("a")).isEqualTo(7);
        assertThat(peer.value("a")).isEqualTo(7);
        assertThat(peer.keyspace.keys()).isEqualTo(1);
        assertThat(peer.keyspace.dated()).isEqualTo(1);
        KeyspaceAudit.check(peer.keyspace);
    }

    /// The peer stood still, and gets one after the other what was sent meanwhile.
    @Test
    void extensions_thatAPeerWithoutDeadlineHearsOfLate_count() {
        peer.counters.add(key("a"), 1);
        List<Cell> late = copiesOfFourExtensions();
        peer.time = node.time;

        hearsLate(late);

        assertThat(node.value("a")).isEqualTo(5);
        assertThat(peer.value("a")).isEqualTo(5);
    }

    /// The peer stood still, and serves a client before it gets what was sent meanwhile.
    @Test
    void extensions_thatAPeerHearsOfLate_whereTheKeyWasUsedAgain_countButForWhatItHadSeen() {
        node.counters.add(key("a"), 1);
        node.expireAt("a", START + 10);
        peer.takes("a", node);
        List<Cell> late = copiesOfFourExtensions();
        peer.time = node.time;
        peer.counters.add(key("a"), 1);

        hearsLate(late);

        assertThat(node.value("a")).isEqualTo(5);
        assertThat(peer.value("a")).isEqualTo(5);
    }

    private List<Cell> copiesOfFourExtensions() {
        List<Cell> copies = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            node.time += 5;
            node.counters.add(key("a"), 1);
            node.expireAt("a", node.time + 10);
            copies.add(node.copy("a", peer));
        }
        return copies;
    }

    private void hearsLate(List<Cell> copies) {
        Merges merges = new Merges(peer.keyspace, ChangeLog.NONE);
        for (Cell copy : copies) {
            merges.merge(key("a"), copy);
        }
        node.takes("a", peer);
        peer.takes("a", node);
    }

    /// The peer was cut off when the deadline was made earlier.
    @Test
    void countThatAPeerAddsUnderTheFormerDeadline_livesOnAlone() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + GRACE);
        peer.takes("a", node);
        node.expireAt("a", START + 10);
        peer.counters.add(key("a"), 2);
        node.time = START + 11;
        peer.time = START + 11;

        peer.takes("a", node);
        node.takes("a", peer);
        peer.takes("a", node);

        assertThat(node.value("a")).isEqualTo(2);
        assertThat(peer.value("a")).isEqualTo(2);
        assertThat(peer.life("a").deadline()).isEqualTo(START + GRACE);
    }

    /// The peer does not hear of that before it has ended by the former deadline.
    @Test
    void countThatAPeerAddsUnderTheFormerDeadline_livesOnWithTheExtensionThatItGets() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + GRACE);
        peer.takes("a", node);
        node.expireAt("a", START + 10);
        peer.counters.add(key("a"), 2);
        node.time = START + 11;
        peer.time = START + 11;
        node.takes("a", peer);
        node.expireAt("a", START + 5 * GRACE);
        peer.counters.add(key("a"), 4);
        node.time = START + GRACE + 1;
        peer.time = node.time;

        node.takes("a", peer);
        peer.takes("a", node);

        assertThat(node.value("a")).isEqualTo(6);
        assertThat(peer.value("a")).isEqualTo(6);
    }

    /// `INCR` and `EXPIRE` of the peer are two commands, and the answer to the first one crosses the second.
    @Test
    void deadline_thatCrossesTheNewsOfALaterLifeThatHasEnded_isKept() {
        useTwiceUntilTheEnd("a");
        peer.counters.add(key("a"), 1);

        assertKeptWhereItCrossesTheAnswer(START + 100);
    }

    /// The peer was cut off while the key was used again, and has a longer deadline.
    @Test
    void extension_thatCrossesTheNewsOfALaterLifeThatHasEnded_isKept() {
        peer.counters.add(key("a"), 1);
        peer.expireAt("a", START + 100);
        useTwiceUntilTheEnd("a");

        assertKeptWhereItCrossesTheAnswer(START + 300);
    }

    private void assertKeptWhereItCrossesTheAnswer(long deadline) {
        node.takes("a", peer);
        peer.expireAt("a", deadline);
        peer.takes("a", node);
        node.takes("a", peer);

        assertThat(peer.life("a").deadline()).isEqualTo(deadline);
        assertThat(node.life("a").deadline()).isEqualTo(deadline);
        assertThat(node.value("a")).isEqualTo(1);
    }

    /// The node never heard of the peer, and its copy comes when both have ended.
    @Test
    void extension_ofALifeThatHasOutlivedALaterOne_counts() {
        Node third = new Node(3);
        peer.counters.add(key("a"), 2);
        peer.expireAt("a", START + 100);
        useTwiceUntilTheEnd("a");
        peer.takes("a", node);
        third.time = peer.time;
        third.takes("a", peer);
        third.expireAt("a", START + 400);
        peer.time = START + 150;
        third.time = START + 150;

        peer.takes("a", node);
        peer.takes("a", third);

        assertThat(peer.value("a")).isEqualTo(2);
    }

    @Test
    void countUnderTheFormerDeadline_ofALifeThatHasOutlivedALaterOne_andLostItsDeadline_counts() {
        Node third = new Node(3);
        peer.counters.add(key("a"), 2);
        peer.expireAt("a", START + 100);
        third.takes("a", peer);
        third.counters.add(key("a"), 40);
        useTwiceUntilTheEnd("a");
        peer.takes("a", node);
        peer.expireAt("a", Life.NEVER);
        peer.time = START + 150;
        third.time = START + 150;

        third.takes("a", peer);
        peer.takes("a", third);

        assertThat(peer.value("a")).isEqualTo(42);
        assertThat(third.value("a")).isEqualTo(42);
    }

    /// Else it would have none for ever.
    @Test
    void lifeWithoutDeadlineThatHasOutlivedALaterOne_whereThatHasNotEndedByTheClock_getsItsDeadline() {
        peer.counters.add(key("a"), 2);
        useTwiceUntilTheEnd("a");
        Node behind = new Node(3);
        behind.takes("a", node);
        node.takes("a", peer);

        behind.takes("a", node);

        assertThat(behind.value("a")).isEqualTo(2);
        assertThat(behind.life("a").deadline()).isEqualTo(node.time);
    }

    /// The peer's clock is ahead, and it had counted before it heard of the deadline.
    @Test
    void deadline_thatWasOutlivedAtAnotherNode_isTakenOverUntilItComes() {
        Node third = new Node(3);
        node.counters.add(key("a"), 1);
        peer.counters.add(key("a"), 2);
        third.counters.add(key("a"), 4);
        node.expireAt("a", START + 10);
        peer.time = START + 10;
        peer.takes("a", node);
        node.takes("a", peer);

        third.takes("a", node);

        assertThat(third.value("a")).isEqualTo(7);
        assertThat(third.life("a").deadline()).isEqualTo(START + 10);
    }

    @Test
    void replay_ofALifeThatHasOutlivedALaterOne_showsIt() {
        peer.counters.add(key("a"), 2);
        peer.expireAt("a", START + 10_000);
        assertReplayed(START + 10_000);
    }

    @Test
    void replay_ofALifeWithoutDeadlineThatHasOutlivedALaterOne_showsIt() {
        peer.counters.add(key("a"), 2);
        assertReplayed(Life.NEVER);
    }

    /// The journal tells times a second apart.
    private void assertReplayed(long deadline) {
        useTwiceUntilTheEnd("a");
        Cell before = node.copyOf(PNCOUNT, "a");
        node.takes("a", peer);
        Cell after = node.copyOf(PNCOUNT, "a");
        Node again = new Node(1);
        Merges merges = new Merges(again.keyspace, ChangeLog.NONE);

        merges.mergeAgain(key("a"), before, node.time - 500);
        merges.mergeAgain(key("a"), after, node.time - 500);

        assertThat(again.value("a")).isEqualTo(2);
        assertThat(again.life("a").deadline()).isEqualTo(deadline);
    }

    private void useTwiceUntilTheEnd(String name) {
        for (int i = 0; i < 2; i++) {
            node.counters.add(key(name), 1);
            node.expireAt(name, node.time + 10);
            node.time += 10;
        }
        peer.time = node.time;
    }

    /// As from a backup: the new deadline lies between the two of the old life.
    @Test
    void lifeThatWasMadeShorter_andComesBackBesideANewOne_staysWorthNothing() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 1_000);
        node.expireAt("a", START + 10);
        node.time = START + 20;
        peer.time = START + 20;
        peer.counters.add(key("a"), 3);
        peer.takes("a", node);
        peer.expireAt("a", START + 500);

        peer.takes("a", node);

        assertThat(peer.value("a")).isEqualTo(3);
    }

    /// The peer keeps its reset of what this node had counted until its own horizon.
    @Test
    void copyOfAnEarlierLifeWithALaterHorizon_keepsTheCellFromBeingDropped() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        peer.takes("a", node);
        peer.expireAt("a", START + 10 * GRACE);
        peer.expireAt("a", START + 12);
        node.time = START + 11;
        node.counters.add(key("a"), 1);
        node.expireAt("a", START + 16);
        node.time = START + 17;
        peer.time = START + 17;
        node.takes("a", peer);
        peer.takes("a", node);

        node.time = START + 17 + DROPPED_AFTER;
        peer.time = node.time;
        node.sweep();
        peer.sweep();
        node.counters.add(key("a"), 3);
        peer.takes("a", node);

        assertThat(peer.value("a")).isEqualTo(3);
    }

    @Test
    void extension_whereALifeThatWasBegunApartHasEndedToo_counts() {
        Node third = new Node(3);
        peer.counters.add(key("a"), 3);
        peer.expireAt("a", START + 50);
        third.takes("a", peer);
        third.expireAt("a", START + 300);
        node.counters.add(key("a"), 1);
        node.expireAt("a", START + 100);
        node.time = START + 150;
        peer.time = START + 150;
        third.time = START + 150;

        peer.takes("a", node);
        peer.takes("a", third);

        assertThat(peer.value("a")).isGreaterThanOrEqualTo(3);
    }

    @Test
    void counterThatAnotherBeganEarlierAndExtended_isNoExtension() {
        node.counters.add(key("a"), 1);
        node.expireAt("a", START + 100);
        peer.counters.add(key("a"), 3);
        peer.expireAt("a", START + 50);
        peer.expireAt("a", START + 300);
        node.time = START + 150;
        peer.time = START + 150;
        node.sweep();

        node.takes("a", peer);
        peer.takes("a", node);

        assertThat(node.value("a")).isEqualTo(3);
        assertThat(peer.value("a")).isEqualTo(3);
    }

    /// It has no deadline on some disk, so it is not dropped.
    @Test
    void countsOfAnEndedTombstone_areResetAfterTheGraceOnceAllAreInReach() {
        byte[] text = new byte[100_000];
        Arrays.fill(text, (byte) 'x');
        node.counters.assign(key("a"), text, 0, text.length, Life.NEVER);
        node.keyspace.age();
        node.keyspace.age();
        node.expireAt("a", START + 10);
        node.time = START + 10;
        node.sweep();
        assertThat(node.counters.exists(key("a"))).isFalse();
        assertThat(node.copyOf(PNCOUNT, "a").hasContent()).isTrue();

        node.keyspace.expiry().inReach(false);
        node.time = START + 10 + GRACE;
        node.sweep();
        assertThat(node.copyOf(PNCOUNT, "a").hasContent()).isTrue();

        node.keyspace.expiry().inReach(true);
        node.time += Expiry.SKEW_MILLIS;
        node.sweep();

        assertThat(node.copyOf(PNCOUNT, "a").hasContent()).isFalse();
        assertThat(node.keyspace.cells()).isEqualTo(1);
        int partition = node.keyspace.partitionOf(key("a"));
        assertThat(node.keyspace.partition(partition).table().bytes()).isLessThan(text.length);
    }

    /// A node that was stopped for long finds cells whose grace is over when it sees that they have ended.
    @Test
    void countsOfTombstones_thatEndAndAreResetInOneSweep_areTheirOwn() {
        String[] fields = {"f", "g", "h"};
        for (int i = 0; i < fields.length; i++) {
            byte[] field = fields[i].getBytes(StandardCharsets.ISO_8859_1);
            node.counters.hashes().increment(key("hash"), field, 0, 1, 10_000_000_000L * i + 1);
        }
        node.counters.add(key("both"), 5);
        node.counters.grow(key("both"), 70_000_000_000L);
        node.keyspace.age();
        node.keyspace.age();
        node.counters.expireAt(key("hash"), START + 10, (_, _) -> true);
        node.counters.expireAt(key("both"), START + 10, (_, _) -> true);
        Map<String, Cell> before = cells(node);

        node.time = START + 10 + GRACE;
        node.sweep();
        node.sweep();

        before.values().forEach(Cell::reset);
        assertThat(cells(node).keySet()).isEqualTo(before.keySet());
        cells(node)
                .forEach((name, cell) ->
                        assertThat(cell.sameAs(before.get(name))).as(name).isTrue());
    }

    private static Map<String, Cell> cells(Node node) {
        Map<String, Cell> cells = new HashMap<>();
        for (int partition = 0; partition < Keyspace.PARTITIONS; partition++) {
            node.keyspace.walkAll(
                    partition,
                    CellWalk.of(
                            (type, key, cell) -> cells.put(type + " " + Keyspaces.text(key), CellGen.copyOf(cell))));
        }
        return cells;
    }

    /// By the version it is judged whether a digest that was kept still holds.
    @Test
    void resetOfAnEndedTombstone_makesAnotherVersionOfItsPartition() {
        node.counters.add(key("a"), 5);
        node.keyspace.age();
        node.keyspace.age();
        node.expireAt("a", START + 10);
        node.time = START + 10;
        node.sweep();
        Partition partition = node.keyspace.partition(node.keyspace.partitionOf(key("a")));
        long ended = partition.version();

        node.time = START + 10 + GRACE;
        node.sweep();

        assertThat(node.copyOf(PNCOUNT, "a").hasContent()).isFalse();
        assertThat(partition.version()).isGreaterThan(ended);
    }

    @Test
    void valueAfterAMiss_ofAnEndedCounter_isZero() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        node.time = START + 10;
        node.sweep();

        assertThat(node.counters.readAny(key("a"))).isNull();

        assertThat(node.counters.value()).isZero();
    }

    @Test
    void digestOfAnEndedCounter_whereOneNodeHasSweptItAndTheOtherNot_isTheSame() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        peer.takes("a", node);
        node.time = START + 10;
        peer.time = START + 10;

        node.sweep();

        int partition = node.keyspace.partitionOf(key("a"));
        ReplicaId secret = new ReplicaId(9, 9);
        assertThat(PartitionDigest.of(node.keyspace, partition, secret))
                .isEqualTo(PartitionDigest.of(peer.keyspace, partition, secret));
    }

    @Test
    void extension_thatAPeerHearsOfAfterItUsedTheKeyAgain_keepsWhatThePeerHadNotSeen() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        peer.takes("a", node);
        node.expireAt("a", START + GRACE);
        node.counters.add(key("a"), 2);
        node.time = START + 10;
        peer.time = START + 10;
        peer.counters.add(key("a"), 1);

        node.takes("a", peer);
        peer.takes("a", node);

        assertThat(node.value("a")).isEqualTo(3);
        assertThat(peer.value("a")).isEqualTo(3);
    }

    @Test
    void extension_thatAPeerHearsOfAfterTheDrop_counts() {
        peer.keyspace.expiry().inReach(false);
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        peer.takes("a", node);
        peer.counters.add(key("a"), 3);
        node.takes("a", peer);
        node.expireAt("a", START + 10 * GRACE);
        peer.time = START + 10 + DROPPED_AFTER;
        peer.sweep();
        assertThat(peer.keyspace.cells()).isZero();

        peer.takes("a", node);
        node.takes("a", peer);

        assertThat(node.value("a")).isEqualTo(8);
        assertThat(peer.value("a")).isEqualTo(8);
    }

    @Test
    void counterThatExpiredWhileItsNodeWasDown_besideANewOneThere_staysAway() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        node.time = START + 20;
        peer.time = START + 20;
        peer.counters.add(key("a"), 2);
        peer.expireAt("a", START + GRACE);

        peer.takes("a", node);
        assertThat(peer.value("a")).isEqualTo(2);
        node.takes("a", peer);
        peer.takes("a", node);

        assertThat(node.value("a")).isEqualTo(2);
        assertThat(peer.value("a")).isEqualTo(2);
    }

    @Test
    void deadline_fromAPeer_endsTheCounterHere() {
        node.counters.add(key("a"), 5);
        peer.takes("a", node);
        node.expireAt("a", START + 10);
        peer.takes("a", node);
        assertThat(peer.keyspace.dated()).isEqualTo(1);

        peer.time = START + 10;
        peer.sweep();

        assertThat(peer.keyspace.keys()).isZero();
        assertThat(peer.keyspace.dated()).isZero();
        peer.time = START + 10 + DROPPED_AFTER;
        peer.sweep();
        assertThat(peer.keyspace.cells()).isZero();
    }

    @Test
    void deadline_fromAPeerForACellThatIsLongHere_leavesATombstone() {
        node.counters.add(key("a"), 5);
        peer.takes("a", node);
        peer.keyspace.age();
        peer.keyspace.age();
        node.expireAt("a", START + 10);
        peer.takes("a", node);

        peer.time = START + 10 + DROPPED_AFTER;
        peer.sweep();

        assertThat(peer.keyspace.cells()).isEqualTo(1);
    }

    @Test
    void nextLife_fromAPeer_whereTheFormerIsPast_canBeDropped() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        peer.takes("a", node);
        peer.keyspace.age();
        peer.keyspace.age();
        node.time = START + 10 + DROPPED_AFTER;
        node.sweep();
        node.counters.add(key("a"), 2);
        node.expireAt("a", node.time + 10);
        peer.time = START + 10 + GRACE + 1;

        peer.takes("a", node);

        assertThat(peer.value("a")).isEqualTo(2);
        peer.time = node.time + 10 + DROPPED_AFTER;
        peer.sweep();
        assertThat(peer.keyspace.cells()).isZero();
    }

    /// It was cut off while others extended the deadline, for longer than the grace.
    @Test
    void ownShard_thatComesBackWithAnExtensionAfterTheDrop_counts() {
        extendAtThePeer();
        Cell own = peer.copy("a", node);
        node.keyspace.expiry().inReach(false);
        node.time = START + 10 + DROPPED_AFTER;
        peer.time = node.time;
        node.sweep();
        assertThat(node.keyspace.cells()).isZero();

        node.takes("a", peer);
        peer.takes("a", node);
        assertThat(node.value("a")).isEqualTo(5 + 3);
        assertThat(peer.value("a")).isEqualTo(5 + 3);

        node.counters.add(key("a"), 2);
        new Merges(node.keyspace, ChangeLog.NONE).merge(key("a"), own);
        peer.takes("a", node);
        assertThat(node.value("a")).isEqualTo(5 + 3 + 2);
        assertThat(peer.value("a")).isEqualTo(5 + 3 + 2);
    }

    private void extendAtThePeer() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        peer.takes("a", node);
        peer.expireAt("a", START + 10 * DROPPED_AFTER);
        peer.counters.add(key("a"), 3);
    }

    @Test
    void ownShard_thatComesBackAfterTheDrop_isReset() {
        extendAtThePeer();
        node.time = START + 10 + DROPPED_AFTER;
        peer.time = node.time;
        node.sweep();
        node.counters.add(key("a"), 2);

        assertThat(new Merges(node.counters.keyspace(), node.counters.log())
                        .isBeyondOwn(key("a"), peer.copy("a", node)))
                .isFalse();
        node.takes("a", peer);
        peer.takes("a", node);

        assertThat(node.value("a")).isEqualTo(2 + 3);
        assertThat(peer.value("a")).isEqualTo(2 + 3);
        node.counters.add(key("a"), 1);
        peer.takes("a", node);
        assertThat(peer.value("a")).isEqualTo(2 + 3 + 1);
    }

    @Test
    void ownShard_thatThisProcessNeverMade_isBeyondOwn() {
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        node.time = START + 10 + DROPPED_AFTER;
        node.sweep();
        Cell theirs = new Cell();
        theirs.add(Replicas.OWN, 6);

        assertThat(new Merges(node.counters.keyspace(), node.counters.log()).isBeyondOwn(key("a"), theirs))
                .isTrue();
    }

    @Test
    void ownShardOfAPncount_thatComesBackToAGcount_leavesItWellFormed() {
        node.counters.add(key("a"), 5);
        node.counters.add(key("a"), -3);
        node.counters.grow(key("b"), 4);
        node.expireAt("a", START + 10);
        node.counters.expireAt(GCOUNT, key("b"), START + 10);
        Cell copy = node.copyOf(GCOUNT, "b");
        copy.life().expireAt(START + 10 * DROPPED_AFTER, true);
        node.time = START + 10 + DROPPED_AFTER;
        node.sweep();

        new Merges(node.counters.keyspace(), node.counters.log()).merge(key("b"), copy);

        assertThat(node.counters.read(GCOUNT, key("b"))).isTrue();
        assertThat(node.counters.value()).isEqualTo(4);
        assertThat(node.counters.cell().isWellFormed()).isTrue();
    }

    // Any history

    @Test
    void anyHistory_agreesWithANaiveModel() {
        Property.forAll(gen -> {
            Node node = new Node(gen.anyLong());
            Map<String, Long> values = new HashMap<>();
            Map<String, Long> deadlines = new HashMap<>();
            for (int step = 0; step < 120; step++) {
                String name = "key:" + gen.between(0, 9);
                boolean existed = values.containsKey(name);
                switch (gen.between(0, 9)) {
                    case 0 -> {
                        assertThat(node.counters.delete(key(name))).isEqualTo(existed);
                        values.remove(name);
                        deadlines.remove(name);
                    }
                    case 1 -> {
                        long deadline = node.time + gen.between(1, 50_000);
                        assertThat(node.counters.expireAt(PNCOUNT, key(name), deadline))
                                .isEqualTo(existed);
                        if (existed) {
                            deadlines.put(name, deadline);
                        }
                    }
                    case 2 -> {
                        long deadline = gen.pick(Counters.KEEP, Life.NEVER, node.time + gen.between(1, 50_000));
                        long value = gen.between(-5, 5);
                        node.counters.assign(key(name), value, deadline);
                        values.put(name, value);
                        if (deadline == Life.NEVER) {
                            deadlines.remove(name);
                        } else if (deadline != Counters.KEEP) {
                            deadlines.put(name, deadline);
                        }
                    }
                    case 3 -> node.sweep();
                    case 4 -> {
                        node.time += gen.pick(1, 1_000, 40_000, 200_000);
                        deadlines.forEach((ended, deadline) -> {
                            if (deadline <= node.time) {
                                values.remove(ended);
                            }
                        });
                        deadlines.keySet().retainAll(values.keySet());
                    }
                    case 5 -> node.keyspace.age();
                    case 6 -> node.keyspace.expiry().inReach(gen.chance(50));
                    default -> {
                        long amount = gen.between(-5, 5);
                        assertThat(node.counters.increment(key(name), amount)).isEqualTo(Counters.Increment.DONE);
                        values.merge(name, amount, Long::sum);
                    }
                }
                assertThat(node.counters.exists(key(name))).isEqualTo(values.containsKey(name));
                if (values.containsKey(name)) {
                    assertThat(node.counters.value()).isEqualTo(values.get(name));
                    assertThat(node.life(name).deadline()).isEqualTo(deadlines.getOrDefault(name, Life.NEVER));
                }
            }

            KeyspaceAudit.check(node.keyspace);
            node.sweep();
            assertThat(node.keyspace.keys()).isEqualTo(values.size());
            assertThat(node.keyspace.dated()).isEqualTo(deadlines.size());
            KeyspaceAudit.check(node.keyspace);
        });
    }

    // What only one node knows

    @Test
    void end_ofACellThatLivesOnElsewhere_isAnnounced() {
        peer.counters.add(key("a"), 5);
        peer.expireAt("a", START + 10);
        node.takes("a", peer);
        node.keyspace.ownChanges().track();
        node.time = START + 10;
        node.sweep();
        node.counters.add(key("a"), 1);
        peer.expireAt("a", START + 1_000);

        node.takes("a", peer);

        assertThat(node.keyspace.ownChanges().any()).isTrue();
        peer.takes("a", node);
        assertThat(peer.value("a")).isEqualTo(1);
    }

    @Test
    void horizon_thatAnOldCopyMakesEndless_isAnnounced() {
        peer.counters.add(key("a"), 5);
        node.takes("a", peer);
        node.keyspace.age();
        node.keyspace.age();
        node.keyspace.ownChanges().track();
        peer.expireAt("a", START + 10);

        node.takes("a", peer);

        assertThat(node.keyspace.ownChanges().any()).isTrue();
        peer.takes("a", node);
        assertThat(peer.life("a").horizon()).isEqualTo(Life.FOREVER);
    }

    /// A rate limit counts and sets a deadline. The two may wait in the same frame until both are long over.
    @Test
    void lateFrame_withACountAndThenItsDeadline_leavesNothing() {
        Node sender = new Node(3);
        sender.counters.add(key("a"), 5);
        Cell undated = sender.copy("a", node);
        sender.expireAt("a", START + 10);
        Cell dated = sender.copy("a", node);
        int number = node.keyspace.replicas().numberOf(new ReplicaId(3, 3));
        Merges merges = new Merges(node.keyspace, ChangeLog.NONE);
        node.time = START + 10 + DROPPED_AFTER;

        merges.merge(key("a"), undated, number);
        merges.merge(key("a"), dated, number);

        assertThat(node.counters.exists(key("a"))).isFalse();
        node.sweep();
        assertThat(node.keyspace.cells()).isZero();
    }

    @Test
    void lateCopy_besideALifeWithALaterHorizon_leavesThatHorizon() {
        Node third = new Node(3);
        node.counters.add(key("a"), 7);
        node.expireAt("a", START + 100 * GRACE);
        Cell old = node.copy("a", third);
        node.expireAt("a", START + 10);
        peer.counters.add(key("a"), 2);
        Cell undated = peer.copy("a", third);
        peer.expireAt("a", START + 20);
        Cell late = peer.copy("a", third);
        third.time = START + 20 + GRACE;
        third.takes("a", node);
        int sender = third.keyspace.replicas().numberOf(new ReplicaId(2, 2));
        Merges merges = new Merges(third.keyspace, ChangeLog.NONE);

        merges.merge(key("a"), undated, sender);
        merges.merge(key("a"), late, sender);
        third.time += DROPPED_AFTER;
        third.sweep();
        merges.merge(key("a"), old);

        assertThat(third.counters.exists(key("a"))).isFalse();
    }

    /// The key was used again after its cell was dropped: what is counted since is not in the late copy.
    @Test
    void lateCopy_fromAnotherThanItsCounter_endsNothing() {
        Node sender = new Node(3);
        sender.counters.add(key("a"), 5);
        sender.expireAt("a", START + 10);
        Cell late = sender.copy("a", node);
        sender.time = START + 10 + DROPPED_AFTER;
        node.time = sender.time;
        sender.sweep();
        sender.counters.add(key("a"), 2);
        node.takes("a", sender);
        int other = node.keyspace.replicas().numberOf(new ReplicaId(2, 2));

        new Merges(node.keyspace, ChangeLog.NONE).merge(key("a"), late, other);

        assertThat(node.value("a")).isEqualTo(2);
    }

    /// A clock that is set far ahead, or a replicator that hangs: the peers have the count, and not its deadline.
    @Test
    void sweep_ofACellThatIsStillToBeSent_keepsIt() {
        node.keyspace.ownChanges().track();
        node.counters.add(key("a"), 5);
        node.expireAt("a", START + 10);
        node.time = START + 10 + DROPPED_AFTER;
        node.sweep();
        assertThat(node.keyspace.cells()).isEqualTo(1);

        int shown = node.keyspace.ownChanges().drain(10, (_, _, _) -> 1);
        node.time++;
        node.sweep();

        assertThat(shown).isEqualTo(1);
        assertThat(node.keyspace.cells()).isZero();
    }

    @Test
    void step_endsAndDropsSome_untilAllAre() {
        int count = 20_000;
        for (int i = 0; i < count; i++) {
            node.counters.add(key("key:" + i), 1);
            node.expireAt("key:" + i, START + 10);
        }
        node.time = START + 10;

        int steps = stepsOfASweep(node);

        assertThat(steps).isBetween(10, 40);
        assertThat(node.keyspace.keys()).isZero();
        assertThat(node.keyspace.cells()).isEqualTo(count);
        node.time = START + 10 + DROPPED_AFTER;
        assertThat(stepsOfASweep(node)).isBetween(10, 40);
        assertThat(node.keyspace.cells()).isZero();
        assertThat(stepsOfASweep(node)).isOne();
    }

    private static int stepsOfASweep(Node node) {
        int steps = 1;
        while (node.sweeper.step()) {
            steps++;
        }
        KeyspaceAudit.check(node.keyspace);
        return steps;
    }

    /// Between the steps of a sweep a partition that it is in gets an earlier deadline.
    @Test
    void deadline_thatIsSetDuringASweep_isKept() {
        for (int i = 0; i < 20_000; i++) {
            node.counters.add(key("key:" + i), 1);
            node.expireAt("key:" + i, START + 10 + i % 2);
        }
        node.time = START + 10;
        assertThat(node.sweeper.step()).isTrue();
        for (int i = 0; i < 1_000; i++) {
            node.counters.add(key("later:" + i), 1);
            node.expireAt("later:" + i, START + 20);
        }
        node.sweep();
        assertThat(node.keyspace.keys()).isEqualTo(11_000);

        node.time = START + 20;
        node.sweep();

        assertThat(node.keyspace.keys()).isZero();
    }

    /// A purge may move cells to slots that the sweep has passed. So it is not known when the next is due.
    @Test
    void sweep_withAPurgeBetweenItsSteps_isMadeAgain() {
        ChosenKeys keys = new ChosenKeys(node.keyspace, 0, 64);
        for (int i = 0; i < 6_000; i++) {
            node.counters.add(keys.key(i), 1);
            if (i % 3 == 0) {
                node.counters.delete(PNCOUNT, keys.key(i));
            } else {
                node.counters.expireAt(PNCOUNT, keys.key(i), i % 3 == 1 ? START + 10 : START + 1_000);
            }
        }
        node.time = START + 10;
        assertThat(node.sweeper.step()).isTrue();
        DeletedCells purge = new DeletedCells(node.keyspace, ChangeLog.NONE);
        purge.begin();
        while (!purge.mark()) {}
        purge.begin();
        while (!purge.drop()) {}

        node.sweep();

        assertThat(node.keyspace.cells()).isEqualTo(4_000);
        assertThat(node.keyspace.partition(0).dueAt()).isLessThanOrEqualTo(node.time);
        node.sweep();
        assertThat(node.keyspace.partition(0).dueAt()).isEqualTo(START + 1_000);
    }

    /// The length of a hash is counted without a look at deadlines only while nothing is due.
    @Test
    void lengthOfAHash_betweenTheStepsOfItsSweep_isZero() {
        Hashes hashes = node.counters.hashes();
        Key hash = key("h");
        for (int i = 0; i < 5_000; i++) {
            byte[] field = ("field:" + i).getBytes(StandardCharsets.US_ASCII);
            hashes.increment(hash, field, 0, field.length, 1);
        }
        hashes.expireAt(hash, START + 10);
        node.sweep();
        node.time = START + 10;

        int steps = 0;
        do {
            assertThat(hashes.length(hash)).isZero();
            steps++;
        } while (node.sweeper.step());

        assertThat(steps).isGreaterThan(3);
        assertThat(hashes.length(hash)).isZero();
    }

    @Test
    void sweep_afterMostCellsAreGone_givesTheirMemoryBack() {
        for (int i = 0; i < 50_000; i++) {
            node.counters.add(key("stays:" + i), 1);
        }
        long before = node.keyspace.bytesKept();
        for (int i = 0; i < 100_000; i++) {
            node.counters.add(key("goes:" + i), 1);
            node.expireAt("goes:" + i, START + 10);
        }
        long most = node.keyspace.bytesKept();
        node.time = START + 10;
        node.sweep();

        node.time = START + 10 + DROPPED_AFTER;
        node.sweep();

        assertThat(most).isGreaterThan(before * 5 / 2);
        assertThat(node.keyspace.bytesKept()).isLessThan(before * 11 / 10);
    }

    private static final class Node {
        private long time = START;
        private final Keyspace keyspace;
        private final Counters counters;
        private final Sweeper sweeper;

        Node(long id) {
            SplittableRandom random = new SplittableRandom(id);
            keyspace = new Keyspace(new Replicas(new ReplicaId(id, id)), random::nextLong, () -> time);
            counters = new Counters(keyspace, ChangeLog.NONE);
            sweeper = new Sweeper(keyspace);
        }

        void sweep() {
            sweeper.run();
            KeyspaceAudit.check(keyspace);
        }

        void expireAt(String name, long deadline) {
            assertThat(counters.expireAt(PNCOUNT, key(name), deadline)).isTrue();
        }

        long value(String name) {
            assertThat(counters.read(PNCOUNT, key(name))).isTrue();
            return counters.value();
        }

        Life life(String name) {
            counters.read(PNCOUNT, key(name));
            return counters.cell().life();
        }

        long shard(String name, int total) {
            counters.read(PNCOUNT, key(name));
            Counter counts = counters.cell().counts();
            return counts.low(counts.find(Replicas.OWN), total);
        }

        /// The cell as it is stored.
        Cell copyOf(CounterType type, String name) {
            Cell copy = new Cell();
            Key key = key(name);
            keyspace.partition(keyspace.partitionOf(key)).read(type, key, copy);
            return copy;
        }

        /// The cell in the numbers that another node has for replicas.
        Cell copy(String name, Node reader) {
            return Keyspaces.translated(copyOf(PNCOUNT, name), keyspace.replicas(), reader.keyspace.replicas());
        }

        Counter.Merged takes(String name, Node from) {
            return new Merges(counters.keyspace(), counters.log()).merge(key(name), from.copy(name, this));
        }
    }
}
