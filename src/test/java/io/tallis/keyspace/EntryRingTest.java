package io.tallis.keyspace;

import static io.tallis.keyspace.Keyspaces.key;
import static io.tallis.keyspace.Keyspaces.keyspace;
import static io.tallis.keyspace.Keyspaces.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteReader;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Which own changes go to the replicator as entries, and which by a mark.
final class EntryRingTest {
    private static final int ALL = Integer.MAX_VALUE;
    private static final int RING = 1 << 10;

    private final Keyspace keyspace = keyspace(1);
    private final OwnChanges own = keyspace.ownChanges();
    private final Counters counters = new Counters(keyspace, ChangeLog.NONE, own.newRing(RING));

    @AfterEach
    void audit() {
        KeyspaceAudit.check(keyspace);
    }

    @Test
    void change_untracked_makesNoEntry() {
        counters.add(key("a"), 1);

        assertThat(own.any()).isFalse();
        assertThat(entries(1)).isEmpty();
    }

    @Test
    void change_makesAnEntryAndNoMark() {
        own.track();

        counters.add(key("a"), 5);
        counters.grow(key("b"), 7);

        assertThat(own.any()).isTrue();
        assertThat(entries(1)).containsExactly("a PNCOUNT 5", "b GCOUNT 7");
        assertThat(own.any()).isFalse();
        assertThat(marks(1)).isEmpty();
    }

    @Test
    void entry_hasThisProcessesShardOnly() {
        own.track();
        Cell other = new Cell();
        other.add(keyspace.replicas().numberOf(new ReplicaId(9, 9)), 40);
        new Merges(counters.keyspace(), counters.log()).merge(key("a"), other);

        counters.add(key("a"), 2);

        assertThat(entries(1)).containsExactly("a PNCOUNT 2");
    }

    @Test
    void change_ofACellThatWasJustSent_isMarked() {
        own.track();
        counters.add(key("a"), 1);
        counters.add(key("a"), 1);

        assertThat(entries(1)).containsExactly("a PNCOUNT 1");
        assertThat(own.any()).isTrue();
        assertThat(marks(1)).containsExactly("a PNCOUNT 2");
    }

    @Test
    void change_afterManyFrames_isAnEntryAgain() {
        own.track();
        counters.add(key("a"), 1);
        assertThat(entries(1)).hasSize(1);

        own.sent(100);
        counters.add(key("a"), 1);

        assertThat(entries(101)).containsExactly("a PNCOUNT 2");
    }

    /// However long changes wait, a cell is sent once.
    @Test
    void change_ofAMarkedCell_makesNoEntry() {
        own.track();
        counters.add(key("a"), 1);
        counters.add(key("a"), 1);
        for (int frame = 16; frame <= 160; frame += 16) {
            own.sent(frame);
            counters.add(key("a"), 1);
        }

        assertThat(entries(161)).containsExactly("a PNCOUNT 1");
        assertThat(marks(161)).containsExactly("a PNCOUNT 12");
    }

    /// Peers must not see some of several changes that are made as one.
    @Test
    void change_betweenLockAndUnlock_isMarked() {
        own.track();
        counters.lock(key("a"));
        counters.add(key("a"), 5);

        assertThat(entries(1)).isEmpty();
        counters.add(key("a"), -3);
        counters.unlock(key("a"));

        assertThat(entries(1)).isEmpty();
        assertThat(marks(1)).containsExactly("a PNCOUNT 2");
        BitSet partitions = new BitSet();
        partitions.set(keyspace.partitionOf(key("b")));
        counters.lockAll(partitions);
        counters.add(key("b"), 1);
        counters.unlockAll(partitions);
        counters.add(key("c"), 1);
        assertThat(entries(2)).containsExactly("c PNCOUNT 1");
        assertThat(marks(2)).containsExactly("b PNCOUNT 1");
    }

    @Test
    void change_thatCannotBeRecorded_isNotSent() {
        own.track();
        Counters failing = new Counters(keyspace, new FailingLog(), own.newRing(RING));

        assertThatThrownBy(() -> failing.add(key("a"), 1)).isInstanceOf(AssertionError.class);

        assertThat(own.any()).isFalse();
    }

    private static final class FailingLog implements ChangeLog {
        @Override
        public void record(Key key, Cell counter, boolean whole) {
            throw new IllegalStateException("no memory left");
        }

        @Override
        public void beginGroup() {}

        @Override
        public void endGroup() {}
    }

    @Test
    void change_ofACellWithAReset_isMarked() {
        own.track();
        counters.add(key("deleted"), 1);
        counters.assign(key("set"), 1, Counters.KEEP);
        counters.add(key("set again"), 1);
        assertThat(entries(1)).hasSize(3);
        own.sent(100);

        counters.delete(key("deleted"));
        counters.assign(key("set again"), 2, Counters.KEEP);
        own.sent(200);
        counters.add(key("deleted"), 1);
        counters.add(key("set"), 1);

        assertThat(entries(201)).containsExactly("set PNCOUNT 2");
        assertThat(marks(201)).containsExactlyInAnyOrder("deleted PNCOUNT 1", "set again PNCOUNT 2");
    }

    @Test
    void changes_withoutRoomInTheRing_areMarked() {
        own.track();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            counters.add(key("key-" + i), 1);
            expected.add("key-" + i + " PNCOUNT 1");
        }
        counters.add(key("k".repeat(RING)), 1);

        List<String> entries = entries(1);
        List<String> all = new ArrayList<>(entries);
        all.addAll(marks(1));

        assertThat(entries).hasSizeBetween(RING / 40, RING / 20);
        expected.add("k".repeat(RING) + " PNCOUNT 1");
        assertThat(all).containsExactlyInAnyOrderElementsOf(expected);
    }

    /// Of many lengths, so that entries end at, before and beyond the end of the ring.
    @Test
    void entries_goRoundTheRing() {
        own.track();
        long frame = 1;
        for (int i = 0; i < 2_000; i++) {
            String name = "x".repeat(1 + i * 7 % 200) + i;
            counters.add(key(name), i + 1);
            assertThat(entries(++frame)).containsExactly(name + " PNCOUNT " + (i + 1));
            own.sent(frame);
        }
        assertThat(own.any()).isFalse();
    }

    @Test
    void entry_thatIsSentLate_isFoundByItsFrame() {
        own.track();
        counters.add(key("late"), 1);
        assertThat(entries(1_000)).hasSize(1);

        assertThat(since(999)).containsExactly("late");
    }

    @Test
    void markedCell_thatWasStampedAhead_keepsTheNewerStamp() {
        own.track();
        own.sent(14);
        counters.add(key("a"), 1);
        counters.add(key("a"), 1);

        assertThat(marks(15)).hasSize(1);
        assertThat(entries(16)).hasSize(1);

        assertThat(since(15)).containsExactly("a");
    }

    @Test
    void entry_whoseSenderThrows_stays() {
        own.track();
        counters.add(key("a"), 1);

        assertThatThrownBy(() -> own.drainEntries(sender((_, _, _) -> {
                    throw new IllegalArgumentException();
                })))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(own.any()).isTrue();
        assertThat(entries(1)).containsExactly("a PNCOUNT 1");
    }

    @Test
    void watchedIsSent_whenTheEntriesOfThatTimeAreTaken_isTrue() {
        own.track();
        counters.add(key("a"), 1);
        own.watch();
        counters.add(key("b"), 1);
        assertThat(own.watchedIsSent()).isFalse();

        int[] left = {1};
        own.drainEntries(new OwnChanges.EntrySender() {
            @Override
            public long send(byte[] array, int offset, int length) {
                left[0]--;
                return 1;
            }

            @Override
            public boolean takesMore() {
                return left[0] > 0;
            }
        });

        assertThat(own.watchedIsSent()).isTrue();
        assertThat(own.any()).isTrue();
    }

    @Test
    void ringsOfSeveralThreads_takeTurnsInBeingFirst() {
        own.track();
        Counters others = new Counters(keyspace, ChangeLog.NONE, own.newRing(RING));
        List<String> firsts = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            counters.add(key("mine-" + i), 1);
            others.add(key("theirs-" + i), 1);
            firsts.add(entries(1).getFirst());
        }

        assertThat(firsts)
                .containsExactly("mine-0 PNCOUNT 1", "theirs-1 PNCOUNT 1", "mine-2 PNCOUNT 1", "theirs-3 PNCOUNT 1");
    }

    private List<String> entries(long frame) {
        List<String> entries = new ArrayList<>();
        own.drainEntries(sender((array, offset, length) -> {
            entries.add(entryText(array, offset, length));
            return frame;
        }));
        return entries;
    }

    private interface Sending {
        long send(byte[] array, int offset, int length);
    }

    private static OwnChanges.EntrySender sender(Sending sending) {
        return new OwnChanges.EntrySender() {
            @Override
            public long send(byte[] array, int offset, int length) {
                return sending.send(array, offset, length);
            }

            @Override
            public boolean takesMore() {
                return true;
            }
        };
    }

    private String entryText(byte[] array, int offset, int length) {
        CellCodec codec = new CellCodec(keyspace.replicas());
        ByteReader entry = new ByteReader().on(array, offset, length);
        Cell counter = new Cell();
        try {
            CounterType type = codec.decodeKey(entry);
            Key key = new Key().set(array, codec.keyOffset(), codec.keyLength());
            codec.decode(entry, type, Replicas.OWN, counter);
            assertThat(entry.remaining()).isZero();
            return text(key) + " " + type + " " + counter.value();
        } catch (MalformedException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> marks(long frame) {
        List<String> marks = new ArrayList<>();
        own.drain(ALL, (type, key, counter) -> {
            marks.add(text(key) + " " + type + " " + counter.value());
            return frame;
        });
        return marks;
    }

    private List<String> since(long frame) {
        return Keyspaces.since(own, frame);
    }
}
