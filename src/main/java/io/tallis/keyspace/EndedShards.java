package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.ReplicaId;
import io.tallis.wire.CellCodec;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;

/// An estimate of what folding ended sessions would free: the part of the records in memory, and of the rows in the
/// database.
///
/// It comes from a sample of a few cells of each partition. A partition that has no more cells is counted as a whole.
public record EndedShards(double partOfMemory, double partOfRows) {
    public static final EndedShards NONE = new EndedShards(0, 0);

    private static final int CELLS_OF_A_PARTITION = 2;

    private static final int PARTITIONS_A_STEP = 64;

    /// The sample ends after the partition in which it reaches this many bytes, since registers may be large.
    private static final long MOST_BYTES = 1 << 20;

    /// The usual size of the head of a record or a row: the type of the cell and the length of its key.
    private static final int HEAD_BYTES = 2;

    /// A shard is longer in a row than in a record: it has the id of its replica in place of the number.
    private static final int MORE_IN_A_ROW = CellCodec.ID_BYTES - 1;

    /// The bytes of the cells in the sample, and of those of their shards that folding would free. Belongs to one
    /// thread.
    public static final class Sample {
        private final Keyspace keyspace;
        private final List<BitSet> groups;
        private final CellWalk walk = CellWalk.of((_, key, cell) -> add(key, cell));
        private int partition;
        private long memory;
        private long freeOfMemory;
        private long rows;
        private long freeOfRows;

        /// Begins a sample. Each group is the ended sessions and earlier folds of a node: a fold leaves one shard of
        /// a group in a cell.
        public Sample(Keyspace keyspace, Collection<List<ReplicaId>> groups) {
            this.keyspace = keyspace;
            this.groups = groups.stream().map(this::numbers).toList();
        }

        private BitSet numbers(List<ReplicaId> group) {
            BitSet numbers = new BitSet();
            group.forEach(id -> numbers.set(keyspace.replicas().numberOf(id)));
            return numbers;
        }

        /// Adds the cells of some more partitions. Returns whether any are left.
        public boolean step() {
            int end = partition + PARTITIONS_A_STEP;
            while (partition < end && hasMore()) {
                keyspace.walkRanges(partition, 0, CELLS_OF_A_PARTITION, () -> false, walk);
                partition++;
            }
            return hasMore();
        }

        private boolean hasMore() {
            return partition < Keyspace.PARTITIONS && memory < MOST_BYTES && !groups.isEmpty();
        }

        public EndedShards estimate() {
            return memory == 0 ? NONE : new EndedShards((double) freeOfMemory / memory, (double) freeOfRows / rows);
        }

        private void add(Key key, Cell cell) {
            int size = HEAD_BYTES + key.length() + PackedCell.size(cell);
            memory += size;
            rows += size + (long) MORE_IN_A_ROW * cell.counts().shards();
            for (BitSet group : groups) {
                addFreed(group, cell.counts());
            }
        }

        private void addFreed(BitSet group, Counter counts) {
            boolean isFirst = true;
            for (int i = 0; i < counts.shards(); i++) {
                if (group.get(counts.replica(i))) {
                    if (!isFirst) {
                        int size = PackedCell.sizeOfShard(counts, i);
                        freeOfMemory += size;
                        freeOfRows += size + MORE_IN_A_ROW;
                    }
                    isFirst = false;
                }
            }
        }
    }
}
