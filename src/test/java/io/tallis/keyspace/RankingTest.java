package io.tallis.keyspace;

import static io.tallis.keyspace.Keyspaces.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Ranking.Direction;
import io.tallis.keyspace.Ranking.Slice;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RankingTest {
    private static final int MANY = 3 * Hashes.PIECE + 7;

    private final Replicas replicas = new Replicas(new ReplicaId(1, 1));
    private final Keyspace keyspace = new Keyspace(replicas, new SplittableRandom(1)::nextLong, () -> 1_000_000);
    private final Counters counters = new Counters(keyspace, ChangeLog.NONE);

    @Test
    void manyFields_areShownInPieces_fromBothEnds() {
        IntStream.range(0, MANY).forEach(i -> add("f" + i, i / 3));
        List<String> sorted = IntStream.range(0, MANY)
                .boxed()
                .sorted((left, right) ->
                        left / 3 != right / 3 ? left / 3 - right / 3 : ("f" + left).compareTo("f" + right))
                .map(i -> "f" + i)
                .toList();

        assertThat(names(Slice.ofPositions(0, -1, Direction.FROM_LEAST))).isEqualTo(sorted);
        assertThat(names(Slice.ofPositions(0, -1, Direction.FROM_GREATEST))).isEqualTo(sorted.reversed());
        assertThat(names(slice(100, 1000, 7, 2000))).isEqualTo(sorted.subList(307, 2301));
    }

    @Test
    void field_thatIsNewFromAPeer_takesItsPlace() throws MalformedException {
        IntStream.range(0, 100).forEach(i -> add("f" + i, 2L * i));
        assertThat(names(Slice.ofPositions(0, 0, Direction.FROM_LEAST))).containsExactly("f0");

        assertThat(new CellInserter(keyspace, new StandInTurnLog() {
                            @Override
                            public void record(Key key, Cell cell, boolean whole) {}

                            @Override
                            public void recordReceived(ReceivedCell cell) {}

                            @Override
                            protected void committed(Outcome outcome) {}
                        })
                        .insertNew(new ReceivedCell[] {received("new", 51)}, 1))
                .isZero();

        assertThat(names(slice(50, 52, 0, -1))).containsExactly("f25", "new", "f26");
    }

    /// As when another client changes a field between two pieces of a reading.
    @Test
    void fieldThatWasShownLast_andHasAnotherFraction_isSoughtAtItsFormerPlace() {
        IntStream.range(0, 1_000).forEach(i -> assign("f%03d".formatted(i), "7.%03d5".formatted(i)));
        Score shown = Score.of(new BigDecimal("7.5005"));
        assertThat(counters.ranking().count(key("h"), Score.START, shown)).isEqualTo(500);
        Key field = Key.of(
                CounterType.FIELD,
                counters.hashes().key(key("h"), bytes("f500"), 0, 4).toByteArray());
        Partition partition = keyspace.partition(keyspace.partitionOf(field));

        for (int place = 0; place < 1_000; place++) {
            assign("f500", "7.%03d7".formatted(place));
            FieldOrder order = partition.fields().orders().iterator().next();
            boolean isBefore = place < 500;

            assertThat(order.seek(shown, field)).isTrue();
            assertThat(order.position()).isEqualTo(isBefore ? 501 : 500);
        }
    }

    private void assign(String field, String text) {
        Hashes.Assignment _ =
                counters.hashes().assign(key("h"), bytes(field), 0, field.length(), bytes(text), 0, text.length());
    }

    @Test
    void memoryOfAnOrder_isCountedUntilTheHashIsDeleted() {
        IntStream.range(0, MANY).forEach(i -> add("f" + i, i));
        long before = keyspace.bytesUsed();

        assertThat(counters.ranking().count(key("h"), Score.START, Score.END)).isEqualTo(MANY);
        long kept = keyspace.bytesUsed() - before;
        counters.delete(key("h"));
        add("f1", 1);
        assertThat(counters.ranking().count(key("h"), Score.START, Score.END)).isEqualTo(1);

        assertThat(kept).isBetween(16L * MANY, 32L * MANY);
        assertThat(keyspace.partition(keyspace.partitionOf(key("h"))).fields().hasOrders())
                .isFalse();
    }

    private ReceivedCell received(String name, long count) throws MalformedException {
        Key field = counters.hashes().key(key("h"), bytes(name), 0, name.length());
        CellCodec codec = new CellCodec(replicas);
        int peer = replicas.numberOf(new ReplicaId(2, 2));
        Cell cell = new Cell().clear(CounterType.FIELD);
        assertThat(cell.add(peer, count)).isTrue();
        ByteWriter frame = new ByteWriter(64);
        codec.encodeKey(CounterType.FIELD, field.array(), field.offset(), field.length(), frame);
        codec.encode(cell, peer, frame);
        ReceivedCell received = new ReceivedCell();
        received.next(ByteReader.of(frame.toByteArray()), codec, peer);
        return received;
    }

    private void add(String field, long delta) {
        Counters.Increment _ = counters.hashes().increment(key("h"), bytes(field), 0, field.length(), delta);
    }

    private static Slice slice(long least, long greatest, long start, long stop) {
        return new Slice(Score.of(least), Score.of(greatest).next(), start, stop, Direction.FROM_LEAST);
    }

    private List<String> names(Slice slice) {
        List<String> names = new ArrayList<>();
        counters.ranking()
                .each(
                        key("h"),
                        slice,
                        (array, offset, length, _) ->
                                names.add(new String(array, offset, length, StandardCharsets.ISO_8859_1)));
        return names;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
