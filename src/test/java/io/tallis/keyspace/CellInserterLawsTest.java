package io.tallis.keyspace;

import static io.tallis.keyspace.Keyspaces.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CellGen;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterGen;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Copying a plain cell between its two forms is the same as unpacking and packing it.
final class CellInserterLawsTest {
    private static final int MOST_CELLS = 40;
    private static final int PARTITION = 7;
    private static final List<String> NAMES = Keyspaces.namesIn(PARTITION, 60);

    private final Replicas replicas = new Replicas(new ReplicaId(5, 0));
    private final CellCodec codec = new CellCodec(replicas);
    private int adopted;
    private int written;

    CellInserterLawsTest() {
        // Neither in the order of their ids nor against it.
        for (int id : new int[] {3, 7, 1, 9}) {
            int _ = replicas.numberOf(new ReplicaId(id, id));
        }
    }

    @Test
    void insertedCell_isAsIfItWereMerged() {
        Property.forAll(gen -> {
            int owner = gen.between(0, 4);
            ByteReader frame = ByteReader.of(cells(gen, owner));
            Receiver adopting = new Receiver();
            Receiver merging = new Receiver();
            // The inserter must not keep references to the frame.
            byte[] _ = adopting.keyspace.digest(PARTITION);
            ReceivedCell cell = new ReceivedCell();
            while (frame.remaining() > 0) {
                cell.next(frame, codec, owner);
                boolean taken = adopting.take(cell);
                adopted += taken ? 1 : 0;

                adopting.merge(cell, !taken);
                merging.merge(cell, true);
            }

            assertThat(adopting.stand()).isEqualTo(merging.stand());
            assertThat(adopting.bytes.toByteArray()).isEqualTo(merging.bytes.toByteArray());
            KeyspaceAudit.check(adopting.keyspace);
        });

        assertThat(adopted).isGreaterThan(1_000);
    }

    /// An inserted cell is journalled as it was received, and no start could read these. After type, key "k", and owner
    /// 1:
    @ParameterizedTest
    @ValueSource(
            strings = {
                "021100", // a total of zero
                "0213" + "00" + "07", // of two one is zero
                "0251" + "07", // unknown flags
                "0231" + "07",
                "0291" + "07",
                "0215" + "07" + "09", // a reset of more than was counted
                "0415" + "07" + "07" + "11" + "07",
                "04" + "1107" + "1107", // the owner twice
                "04" + "1107" + "01" + "00000000000000030000000000000003" + "07",
                "04" + "01" + "00000000000000030000000000000003" + "07" + "1107",
                "02" + "01" + "00000000000000050000000000000000" + "07", // of this process
                "0211" + "80808080808080808001", // 64 bits
                "0211" + "8080808080808080808001", // 71 bits
                "0311" + "07" + "0600", // a part of a kind that is not known
                "0311" + "07" + "0207" + "01" + "00000f424000", // a deadline
            })
    void cell_thatIsNotPlain_isLeft(String counter) throws MalformedException {
        byte[] frame = HexFormat.of().parseHex("01" + "01" + "6b" + counter);
        ReceivedCell cell = new ReceivedCell();
        cell.next(ByteReader.of(frame), codec, 1);

        assertThat(new Receiver().take(cell)).isFalse();
    }

    @Test
    void cell_withTooManyShards_isLeft() throws MalformedException {
        for (int shards = 1; shards < 12; shards++) {
            Cell counter = new Cell().clear(CounterType.GCOUNT);
            for (int i = 0; i < shards; i++) {
                counter.counts()
                        .put(
                                counter.counts().append(replicas.numberOf(new ReplicaId(100 + i, 1))),
                                Counter.P,
                                0,
                                1L << 62);
            }
            ByteWriter frame = new ByteWriter(64);
            codec.encodeKey(CounterType.GCOUNT, key("a").array(), 0, 1, frame);
            codec.encode(counter, CellCodec.NO_OWNER, frame);
            ReceivedCell cell = new ReceivedCell();
            cell.next(ByteReader.of(frame.toByteArray()), codec, 1);

            assertThat(new Receiver().take(cell)).as(shards + " shards").isEqualTo(shards <= Packer.MOST_SHARDS);
        }
    }

    @Test
    void cellsThatAreLeft_comeFirst() throws MalformedException {
        ByteWriter frame = new ByteWriter(64);
        for (String name : List.of("a", "b", "a", "c", "b")) {
            codec.encodeKey(CounterType.GCOUNT, key(name).array(), 0, 1, frame);
            Cell counter = new Cell().clear(CounterType.GCOUNT);
            counter.counts().grow(1, 7);
            codec.encode(counter, 1, frame);
        }
        ByteReader in = ByteReader.of(frame.toByteArray());
        ReceivedCell[] cells = new ReceivedCell[6];
        for (int i = 0; i < cells.length; i++) {
            cells[i] = new ReceivedCell();
            if (in.remaining() > 0) {
                cells[i].next(in, codec, 1);
            }
        }
        List<ReceivedCell> all = List.of(cells);

        int left = new Receiver().inserter.insertNew(cells, 5);

        assertThat(left).isEqualTo(2);
        assertThat(Arrays.asList(cells).subList(0, 2)).containsExactly(all.get(2), all.get(4));
        assertThat(cells).containsExactlyInAnyOrderElementsOf(all);
    }

    /// Only the codec reports malformed cells.
    @Test
    void malformedCell_isLeft() {
        Property.forAll(gen -> {
            byte[] bytes = cells(gen, 1);
            for (int i = gen.between(0, 3); i > 0 && bytes.length > 0; i--) {
                bytes[gen.between(0, bytes.length - 1)] ^= (byte) (1 << gen.between(0, 7));
            }
            ByteReader frame = ByteReader.of(bytes);
            Receiver receiver = new Receiver();
            ReceivedCell cell = new ReceivedCell();
            try {
                while (frame.remaining() > 0) {
                    cell.next(frame, codec, 1);
                    if (receiver.take(cell)) {
                        Cell counter = receiver.decode(cell);
                        assertThat(counter.exists()).isTrue();
                        assertThat(counter.counts().everReset()).isFalse();
                        assertThat(counter.counts().find(Replicas.OWN)).isNegative();
                    }
                }
            } catch (MalformedException _) {
                // The rest is no frame.
            }
            KeyspaceAudit.check(receiver.keyspace);
        });
    }

    @Test
    void copiedCell_hasTheBytesOfTheCodec() {
        Property.forAll(gen -> {
            Receiver receiver = new Receiver();
            Key key = key("k" + gen.between(0, 1_000));
            Cell counter = counter(gen, CounterGen.type(gen));
            new Merges(receiver.counters.keyspace(), receiver.counters.log()).merge(key, counter);
            int owner = gen.pick(CellCodec.NO_OWNER, 0, 1, 2);

            CellTable table = receiver.keyspace
                    .partition(receiver.keyspace.partitionOf(key))
                    .table();
            int slot = table.find(counter.type(), key);
            if (slot == CellTable.NONE) {
                return;
            }
            Key inPlace = new Key();
            table.openKey(slot, inPlace);
            ByteWriter out = new ByteWriter(gen.between(1, 64));
            out.u8(17);
            new CellWriter(replicas, owner).write(table, slot, inPlace, out);
            written += new CellWriter(replicas, owner).copy(counter.type(), inPlace, new ByteWriter(1)) ? 1 : 0;

            ByteWriter expected = new ByteWriter(64);
            expected.u8(17);
            codec.encodeKey(counter.type(), key.array(), key.offset(), key.length(), expected);
            table.read(slot, counter);
            codec.encode(counter, owner, expected);
            assertThat(out.toByteArray()).isEqualTo(expected.toByteArray());
        });

        assertThat(written).isPositive();
    }

    /// Entries as in a frame: most are plain and have new keys.
    private byte[] cells(Gen gen, int owner) {
        ByteWriter out = new ByteWriter(256);
        for (int i = gen.between(0, MOST_CELLS); i > 0; i--) {
            CounterType type = CounterGen.type(gen);
            Key key = key(gen.pick(NAMES));
            codec.encodeKey(type, key.array(), key.offset(), key.length(), out);
            codec.encode(counter(gen, type), gen.pick(CellCodec.NO_OWNER, owner), out);
        }
        return out.toByteArray();
    }

    private static Cell counter(Gen gen, CounterType type) {
        if (gen.chance(30)) {
            return CellGen.cell(gen, type);
        }
        Cell counter = new Cell().clear(type);
        for (int replica = gen.between(0, 3); replica < 5; replica += gen.between(1, 5)) {
            int shard = counter.counts().append(replica);
            counter.counts().put(shard, Counter.P, 0, Math.max(1, gen.anyCount()));
            if (type == CounterType.PNCOUNT && gen.chance(20)) {
                counter.counts().put(shard, Counter.N, 0, gen.anyLong());
            }
        }
        return counter;
    }

    /// A keyspace that receives cells, and what it records.
    private final class Receiver {
        private final Keyspace keyspace = new Keyspace(replicas, () -> 1, () -> 1_000_000);
        private final ByteWriter bytes = new ByteWriter(256);
        private final StandInTurnLog log = new Log();
        private final Counters counters = new Counters(keyspace, log);
        private final CellInserter inserter = new CellInserter(keyspace, log);
        private final Cell counter = new Cell();

        Receiver() {
            new WatchedCells(keyspace, Keyspace.Consumer.WATCHERS).watch(true);
        }

        private boolean take(ReceivedCell cell) {
            return inserter.insertNew(new ReceivedCell[] {cell}, 1) == 0;
        }

        private Cell decode(ReceivedCell cell) {
            try {
                codec.decode(
                        new ByteReader().on(cell.array(), cell.counterStart(), cell.end() - cell.counterStart()),
                        cell.type(),
                        cell.owner(),
                        counter);
            } catch (MalformedException e) {
                throw new AssertionError(e);
            }
            return counter;
        }

        private void merge(ReceivedCell cell, boolean really) {
            if (really) {
                new Merges(counters.keyspace(), counters.log()).merge(cell.key(), decode(cell));
            }
        }

        private List<Object> stand() {
            return List.of(
                    ByteBuffer.wrap(keyspace.digest(PARTITION)),
                    keyspace.keys(),
                    keyspace.cells(),
                    keyspace.deletedCells(),
                    keyspace.marked(Keyspace.Consumer.CHECKPOINT),
                    keyspace.marked(Keyspace.Consumer.WATCHERS),
                    keyspace.bytesUsed());
        }

        private final class Log extends StandInTurnLog {
            @Override
            public void record(Key key, Cell counter, boolean whole) {
                codec.encodeKey(counter.type(), key.array(), key.offset(), key.length(), bytes);
                codec.encode(counter, CellCodec.NO_OWNER, bytes);
            }

            @Override
            public void recordReceived(ReceivedCell cell) {
                record(cell.key(), decode(cell), true);
            }

            @Override
            protected void committed(Outcome outcome) {}
        }
    }
}
