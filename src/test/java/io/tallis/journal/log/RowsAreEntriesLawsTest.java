package io.tallis.journal.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterGen;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import io.tallis.keyspace.OwnChanges;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The replicator's entries are copies of the journal's rows, and with the marked cells they tell a peer of every
/// change.
final class RowsAreEntriesLawsTest {
    private static final int RING = 1 << 10;
    private static final int LONG_KEY = 2_000;

    private int entries;
    private int marked;

    @Test
    void entriesAndMarkedCells_ofAnyHistory_tellAPeerAll() {
        Property.forAll(gen -> {
            Node node = new Node();
            for (int turns = gen.between(1, 6); turns > 0; turns--) {
                for (int changes = gen.between(0, 30); changes > 0; changes--) {
                    node.change(gen);
                }
                node.drain(gen.between(0, 40));
            }
            entries += node.entries;
            marked += node.marked;

            assertThat(node.peerHasAll()).isTrue();
        });

        assertThat(entries).isPositive();
        assertThat(marked).isPositive();
    }

    @Test
    void entry_isTheRowByteForByte() {
        Node node = new Node();
        node.counters.add(Key.of("a".getBytes(StandardCharsets.US_ASCII)), 300);
        node.counters.grow(Key.of("b".getBytes(StandardCharsets.US_ASCII)), 7);

        node.log.commit(new Told());

        Turn turn = node.inbox.takeAll();
        byte[] rows = Arrays.copyOf(turn.rows.array(), turn.bytes());
        ByteWriter copied = new ByteWriter(64);
        node.own.drainEntries(new OwnChanges.EntrySender() {
            @Override
            public long send(byte[] array, int offset, int length) {
                copied.bytes(array, offset, length);
                return 1;
            }

            @Override
            public boolean takesMore() {
                return true;
            }
        });
        assertThat(rows).isNotEmpty().isEqualTo(copied.toByteArray());
    }

    /// One that sends, and a peer that is told all that goes out.
    private static final class Node implements OwnChanges.EntrySender {
        private final Replicas replicas = new Replicas(new ReplicaId(5, 5));
        private final Keyspace keyspace = new Keyspace(replicas, () -> 7, () -> 1_000_000);
        private final OwnChanges own = keyspace.ownChanges();
        private final TurnStack inbox = new TurnStack();
        private final BufferedTurnLog log = new BufferedTurnLog(replicas, inbox, () -> {});
        private final Counters counters = new Counters(keyspace, log, own.newRing(RING));
        private final Replicas peerReplicas = new Replicas(new ReplicaId(6, 6));
        private final Keyspace peer = new Keyspace(peerReplicas, () -> 8, () -> 1_000_000);
        private final Counters merges = new Counters(peer, ChangeLog.NONE);
        private final int self = peerReplicas.numberOf(replicas.own());
        private long frame = 1;
        private int entries;
        private int marked;

        Node() {
            own.track();
        }

        void change(Gen gen) {
            Key key = key(gen);
            switch (gen.between(0, 9)) {
                case 0 -> counters.delete(key);
                case 1 -> counters.assign(key, gen.between(-5, 5), Counters.KEEP);
                case 2 -> merge(gen, key);
                case 3 -> counters.grow(key, gen.between(0L, 1L << 40));
                case 4 -> log.commit(new Told());
                default -> counters.add(key, gen.between(-5, 5));
            }
        }

        /// Some keys so long that a turn has several parts.
        private static Key key(Gen gen) {
            String name = "k" + gen.between(0, 60) + (gen.chance(5) ? "x".repeat(LONG_KEY) : "");
            return Key.of(name.getBytes(StandardCharsets.US_ASCII));
        }

        /// What both have from a third node.
        private void merge(Gen gen, Key key) {
            CounterType type = CounterGen.type(gen);
            long amount = gen.between(1, 9);
            new Merges(counters.keyspace(), counters.log()).merge(key, ofThird(replicas, type, amount));
            new Merges(merges.keyspace(), merges.log())
                    .merge(Key.of(key.toByteArray()), ofThird(peerReplicas, type, amount));
        }

        private static Cell ofThird(Replicas replicas, CounterType type, long amount) {
            Cell counter = new Cell().clear(type);
            counter.counts().put(counter.counts().append(replicas.numberOf(new ReplicaId(9, 9))), Counter.P, 0, amount);
            return counter;
        }

        void drain(int budget) {
            own.drainEntries(this);
            own.drain(budget, (type, key, counter) -> {
                marked++;
                return send(encoded(type, key, counter));
            });
            own.sent(frame);
            frame += 16;
        }

        private byte[] encoded(CounterType type, Key key, Cell counter) {
            ByteWriter out = new ByteWriter(64);
            CellCodec codec = new CellCodec(replicas);
            codec.encodeKey(type, key.array(), key.offset(), key.length(), out);
            codec.encode(counter, Replicas.OWN, out);
            return out.toByteArray();
        }

        private long send(byte[] entry) {
            return send(entry, 0, entry.length);
        }

        @Override
        public long send(byte[] array, int offset, int length) {
            entries++;
            CellCodec codec = new CellCodec(peerReplicas);
            ByteReader in = new ByteReader().on(array, offset, length);
            Cell counter = new Cell();
            try {
                CounterType type = codec.decodeKey(in);
                Key key = new Key().set(array, codec.keyOffset(), codec.keyLength());
                codec.decode(in, type, self, counter);
                assertThat(in.remaining()).isZero();
                new Merges(merges.keyspace(), merges.log()).merge(key, counter);
            } catch (MalformedException e) {
                throw new AssertionError(e);
            }
            return frame;
        }

        @Override
        public boolean takesMore() {
            return true;
        }

        boolean peerHasAll() {
            drain(Integer.MAX_VALUE);
            List<Integer> differing = new ArrayList<>();
            for (int number = 0; number < Keyspace.PARTITIONS; number++) {
                if (keyspace.cells(number) + peer.cells(number) > 0
                        && !Arrays.equals(keyspace.digest(number), peer.digest(number))) {
                    differing.add(number);
                }
            }
            return differing.isEmpty();
        }
    }
}
