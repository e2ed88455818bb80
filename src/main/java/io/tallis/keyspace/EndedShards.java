package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import java.util.BitSet;
import java.util.Collection;

/// About what the shards of ended sessions take: bytes in memory, and the part of all rows in the database.
///
/// Estimated from a sample, some cells of each partition; where there are not more, all cells are looked at.
public record EndedShards(long bytes, double partOfRows) {
    public static final EndedShards NONE = new EndedShards(0, 0);

    private static final int CELLS_OF_A_PARTITION = 4;

    /// No more is looked at beyond so many bytes: registers may be large.
    private static final long MOST_BYTES = 1 << 20;

    /// Estimates it for these sessions, and folds of earlier ones.
    public static EndedShards of(Keyspace keyspace, Collection<ReplicaId> ended) {
        return ended.isEmpty() ? NONE : new Sample(keyspace, ended).measure();
    }

    /// The cells that were looked at: what they take with and without these shards.
    private static final class Sample {
        private final Keyspace keyspace;
        private final BitSet ended = new BitSet();
        private final CellCodec codec;
        private final ByteWriter row = new ByteWriter(64);
        private final Cell others = new Cell();
        private long cells;
        private long packed;
        private long packedOfOthers;
        private long rows;
        private long rowsOfOthers;

        Sample(Keyspace keyspace, Collection<ReplicaId> ended) {
            this.keyspace = keyspace;
            codec = new CellCodec(keyspace.replicas());
            ended.forEach(id -> this.ended.set(keyspace.replicas().numberOf(id)));
        }

        EndedShards measure() {
            CellWalk walk = CellWalk.of(this::add);
            for (int i = 0; i < Keyspace.PARTITIONS && rows < MOST_BYTES; i++) {
                keyspace.walkRanges(i, 0, CELLS_OF_A_PARTITION, () -> false, walk);
            }
            if (cells == 0) {
                return NONE;
            }
            double bytesOfACell = (double) (packed - packedOfOthers) / cells;
            return new EndedShards((long) (bytesOfACell * keyspace.cells()), (double) (rows - rowsOfOthers) / rows);
        }

        private void add(CounterType type, Key key, Cell cell) {
            cells++;
            packed += PackedCell.size(cell);
            rows += rowLength(type, key, cell);
            others.copyFrom(cell);
            keepOthers(cell.counts(), others.counts().clear(type));
            packedOfOthers += PackedCell.size(others);
            rowsOfOthers += rowLength(type, key, others);
        }

        private void keepOthers(Counter from, Counter to) {
            for (int i = 0; i < from.shards(); i++) {
                if (!ended.get(from.replica(i))) {
                    int shard = to.append(from.replica(i));
                    for (int total = Counter.P; total <= Counter.RN; total += Counter.N - Counter.P) {
                        to.put(shard, total, from.high(i, total), from.low(i, total));
                    }
                }
            }
        }

        private int rowLength(CounterType type, Key key, Cell cell) {
            row.clear();
            codec.encodeKey(type, key.array(), key.offset(), key.length(), row);
            codec.encode(cell, CellCodec.NO_OWNER, row);
            return row.position();
        }
    }
}
