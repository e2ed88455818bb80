package io.tallis.keyspace;

import static io.tallis.keyspace.Keyspaces.key;
import static io.tallis.keyspace.Keyspaces.keyspace;
import static io.tallis.keyspace.Keyspaces.namesIn;
import static io.tallis.keyspace.Keyspaces.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.crdt.Cell;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.runtime.Invariant;
import io.tallis.testing.Property;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PartitionDigestTest {
    private static final int PARTITION = 7;
    private static final int LEAF = PartitionDigest.BYTES;
    private static final ReplicaId KEY = new ReplicaId(3, 4);
    private static final int ALL = Integer.MAX_VALUE;
    private static final List<String> NAMES = namesIn(PARTITION, 1_000);

    private final Keyspace keyspace = keyspace(1);
    private final Counters counters = new Counters(keyspace, ChangeLog.NONE);

    @Test
    void digest_ofAnEmptyPartition_isAllZeros() {
        assertThat(digest()).isEqualTo(new byte[LEAF]);
    }

    @Test
    void digest_isTheSumOfTheLeaves() {
        NAMES.forEach(name -> counters.add(key(name), 1));

        LongBuffer leaves =
                ByteBuffer.wrap(leaves(5)).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        long low = 0;
        long high = 0;
        while (leaves.hasRemaining()) {
            low += leaves.get();
            high += leaves.get();
        }

        assertThat(ByteBuffer.wrap(digest()).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer())
                .isEqualTo(LongBuffer.wrap(new long[] {low, high}));
    }

    @Test
    void digest_doesNotDependOnTheOrderOfCells() {
        Keyspace other = keyspace(2);
        Counters others = new Counters(other, ChangeLog.NONE);
        NAMES.forEach(name -> counters.add(key(name), 1));
        NAMES.reversed().forEach(name -> others.add(key(name), 1));

        assertThat(other.digest(PARTITION)).isEqualTo(keyspace.digest(PARTITION));
        assertThat(other.digest(PARTITION, KEY)).isEqualTo(keyspace.digest(PARTITION, KEY));
    }

    @Test
    void digest_underAnotherKey_isAnother() {
        counters.add(key(NAMES.getFirst()), 1);

        byte[] digest = keyspace.digest(PARTITION, KEY);

        assertThat(keyspace.digest(PARTITION, new ReplicaId(3, 5))).isNotEqualTo(digest);
        assertThat(keyspace.digest(PARTITION)).isNotEqualTo(digest);
        assertThat(keyspace.digest(PARTITION, KEY)).isEqualTo(digest).isEqualTo(digest());
    }

    @Test
    void digest_afterAChange_isComputedAgain() {
        counters.add(key(NAMES.get(0)), 1);
        byte[] digest = keyspace.digest(PARTITION, KEY);

        counters.add(key(NAMES.get(0)), 1);

        assertThat(keyspace.digest(PARTITION, KEY)).isNotEqualTo(digest).isEqualTo(digest());
    }

    @Test
    void digest_thatWasBegunBeforeAChange_isNotKept() {
        counters.add(key(NAMES.get(0)), 1);
        Partition partition = keyspace.partition(PARTITION);
        long version = partition.version();
        byte[] digest = digest();
        counters.add(key(NAMES.get(1)), 1);

        partition.keepDigest(digest, KEY, keyspace.expiry().digestedAsOf(), version);

        assertThat(keyspace.digest(PARTITION, KEY)).isNotEqualTo(digest).isEqualTo(digest());
    }

    @Test
    void digest_thatACallerWritesInto_staysAsItWas() {
        counters.add(key(NAMES.get(0)), 1);
        byte[] digest = keyspace.digest(PARTITION);
        byte[] expected = digest.clone();

        Arrays.fill(digest, (byte) 0);
        Arrays.fill(keyspace.digest(PARTITION), (byte) 0);

        assertThat(keyspace.digest(PARTITION)).isEqualTo(expected);
    }

    @Test
    void leafBits_giveLeavesOfAboutEightCells() {
        for (int cells = 1; cells < 20_000; cells++) {
            int k = PartitionDigest.leafBits(cells);

            assertThat((double) cells / (1 << k)).isLessThanOrEqualTo(12);
            assertThat(k == 0 || (double) cells / (1 << k) >= 6).isTrue();
        }
    }

    @Test
    void leavesOfEmptyPartition_areZeros() {
        assertThat(PartitionDigest.leafBits(0)).isZero();
        assertThat(leaves(0)).isEqualTo(new byte[LEAF]);
        assertThat(leaves(3)).isEqualTo(new byte[8 * LEAF]);
    }

    @Test
    void leaves_ofOneCell_areZerosButForItsOwn() {
        for (int k = 0; k <= PartitionDigest.MOST_LEAF_BITS; k++) {
            Keyspace one = keyspace(k);
            Key key = key(NAMES.get(k));
            new Counters(one, ChangeLog.NONE).add(key, 1);

            byte[] leaves = PartitionDigest.leaves(one, PARTITION, k, KEY);

            assertThat(filled(leaves)).containsExactly(PartitionDigest.leafOf(key, k));
        }
    }

    @Test
    void leaf_hasTheDigestOfItsCellsAlone() {
        NAMES.forEach(name -> counters.add(key(name), name.length()));
        int k = 4;
        byte[] leaves = leaves(k);

        for (int leaf = 0; leaf < 1 << k; leaf++) {
            Keyspace alone = keyspace(leaf);
            Counters copies = new Counters(alone, ChangeLog.NONE);
            ByteWriter cells = new ByteWriter(64);
            new LeafWriter(keyspace).write(new LeafWriter.Part(PARTITION, k, only(leaf), 0), ALL, cells);
            visit(cells, new Merges(copies.keyspace(), copies.log())::merge);

            assertThat(alone.cells()).isPositive();
            assertThat(Arrays.copyOfRange(leaves, leaf * LEAF, (leaf + 1) * LEAF))
                    .isEqualTo(alone.digest(PARTITION, KEY))
                    .isEqualTo(PartitionDigest.leaves(alone, PARTITION, 0, KEY));
        }
    }

    @Test
    void leavesOfTwoNodes_differWhereTheirCellsDo() {
        Property.forAll(gen -> {
            Keyspace left = keyspace(gen.anyLong());
            Keyspace right = keyspace(gen.anyLong());
            Counters lefts = new Counters(left, ChangeLog.NONE);
            Counters rights = new Counters(right, ChangeLog.NONE);
            int k = gen.between(0, PartitionDigest.MOST_LEAF_BITS);
            BitSet differing = new BitSet();
            for (String name : NAMES.subList(0, gen.between(0, 60))) {
                lefts.add(key(name), 5);
                if (gen.chance(90)) {
                    rights.add(key(name), 5);
                } else {
                    rights.grow(key(name), gen.between(0, 1));
                    differing.set(PartitionDigest.leafOf(key(name), k));
                }
            }

            byte[] ours = PartitionDigest.leaves(left, PARTITION, k, KEY);
            byte[] theirs = PartitionDigest.leaves(right, PARTITION, k, KEY);

            BitSet found = new BitSet();
            IntStream.range(0, 1 << k)
                    .filter(leaf -> Arrays.mismatch(
                                    ours, leaf * LEAF, (leaf + 1) * LEAF, theirs, leaf * LEAF, (leaf + 1) * LEAF)
                            >= 0)
                    .forEach(found::set);
            assertThat(found).isEqualTo(differing);
            assertThat(Arrays.equals(left.digest(PARTITION), right.digest(PARTITION)))
                    .isEqualTo(differing.isEmpty());
        });
    }

    @Test
    void leavesOfImpossibleBits_areAMistake() {
        assertThatThrownBy(() -> leaves(12)).isInstanceOf(Invariant.InvariantViolation.class);
        assertThatThrownBy(() -> PartitionDigest.leafOf(key("a"), -1)).isInstanceOf(Invariant.InvariantViolation.class);
    }

    @Test
    void leafWriter_inPiecesWhileTheTableGrows_writesTheCellsOfThoseLeavesOnce() {
        Property.forAll(gen -> {
            Keyspace growing = keyspace(gen.anyLong());
            Counters changing = new Counters(growing, ChangeLog.NONE);
            int old = gen.between(0, 300);
            int k = gen.between(0, PartitionDigest.MOST_LEAF_BITS);
            BitSet wanted = new BitSet();
            for (String name : NAMES.subList(0, old)) {
                changing.add(key(name), 1);
                if (gen.chance(30)) {
                    wanted.set(PartitionDigest.leafOf(key(name), k));
                }
            }

            LeafWriter writer = new LeafWriter(growing);
            Map<String, Integer> shown = new HashMap<>();
            int added = old;
            long from = 0;
            do {
                ByteWriter cells = new ByteWriter(64);
                from = writer.write(new LeafWriter.Part(PARTITION, k, wanted, from), gen.between(1, 100), cells);
                visit(cells, (key, _) -> shown.merge(text(key), 1, Integer::sum));
                for (int i = gen.between(0, 100); i > 0 && added < NAMES.size(); i--) {
                    changing.add(key(NAMES.get(added++)), 1);
                }
            } while (from != Keyspace.END);

            for (String name : NAMES.subList(0, old)) {
                boolean isWanted = wanted.get(PartitionDigest.leafOf(key(name), k));
                assertThat(shown.getOrDefault(name, 0)).as(name).isEqualTo(isWanted ? 1 : 0);
            }
            assertThat(shown.keySet()).allMatch(name -> wanted.get(PartitionDigest.leafOf(key(name), k)));
        });
    }

    @Test
    void leafWriter_fromAnyHash_ends() {
        NAMES.forEach(name -> counters.add(key(name), 1));

        assertThat(nextFrom(Keyspace.END)).isEqualTo(Keyspace.END);
        assertThat(nextFrom(Long.MAX_VALUE)).isEqualTo(Keyspace.END);
        assertThat(nextFrom(Long.MIN_VALUE)).isBetween(1L, Keyspace.END - 1);
    }

    private long nextFrom(long hash) {
        LeafWriter.Part part = new LeafWriter.Part(PARTITION, 0, only(0), hash);
        return new LeafWriter(keyspace).write(part, 1, new ByteWriter(64));
    }

    private void visit(ByteWriter written, BiConsumer<Key, Cell> visitor) {
        ByteReader in = ByteReader.of(written.toByteArray());
        CellCodec codec = new CellCodec(keyspace.replicas());
        ReceivedCell cell = new ReceivedCell();
        Cell counter = new Cell();
        try {
            while (in.remaining() > 0) {
                cell.next(in, codec, Replicas.OWN);
                in.position(cell.counterStart());
                codec.decode(in, cell.type(), cell.owner(), counter);
                visitor.accept(cell.key(), counter);
            }
        } catch (MalformedException e) {
            throw new AssertionError(e);
        }
    }

    private byte[] digest() {
        return PartitionDigest.of(keyspace, PARTITION, KEY);
    }

    private byte[] leaves(int k) {
        return PartitionDigest.leaves(keyspace, PARTITION, k, KEY);
    }

    /// The leaves that are not all zeros.
    private static List<Integer> filled(byte[] leaves) {
        List<Integer> filled = new ArrayList<>();
        for (int at = 0; at < leaves.length; at++) {
            if (leaves[at] != 0 && (filled.isEmpty() || filled.getLast() != at / LEAF)) {
                filled.add(at / LEAF);
            }
        }
        return filled;
    }

    private static BitSet only(int leaf) {
        BitSet leaves = new BitSet();
        leaves.set(leaf);
        return leaves;
    }
}
