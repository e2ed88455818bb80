package io.tallis.keyspace;

import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteWriter;
import java.util.BitSet;

/// Writes the cells of leaves, of which [PartitionDigest] has the digests, in their wire form, for one who lacks them.
/// The id of this process is left out.
///
/// Belongs to one thread.
public final class LeafWriter {
    /// About how many cells are written under one hold of a lock.
    private static final int RANGE = 16;

    /// A megabyte or so: about what a processor keeps, and looks at in a tenth of a millisecond.
    private static final int MOST_CHUNKS_LOOKED_AT = 256;

    private final Keyspace keyspace;
    private final CellWriter writer;

    /// Without a meaning, but kept: else the compiler might leave out the looks at memory.
    @SuppressWarnings("UnusedVariable")
    private int seen;

    public LeafWriter(Keyspace keyspace) {
        this.keyspace = keyspace;
        writer = new CellWriter(keyspace.replicas(), Replicas.OWN);
    }

    /// Writes those of a partition that are in one of the leaves, of 2^k, that are `wanted`: from a probe hash on, 0 at
    /// first, until `out` has reached a position. Returns the probe hash to go on from, [Keyspace#END] when done.
    public long write(Part part, int untilPosition, ByteWriter out) {
        PartitionDigest.requireLeafBits(part.k);
        if (part.fromHash == 0 && part.k == 0) {
            lookAt(keyspace.partition(part.partition).table());
        }
        CellWalk walk = new CellWalk(CellWalk.ANY_STAMP, (table, slot, key) -> {
            if (part.wanted.get(PartitionDigest.leafOf(key.place(), part.k))) {
                writer.write(table, slot, key, out);
            }
        });
        return keyspace.walkRanges(part.partition, part.fromHash, RANGE, () -> out.position() < untilPosition, walk);
    }

    /// The cells come in the order of their hashes, and the processor has to wait for each, unless it has just had all
    /// of them, in the order of their addresses. Those of a very large partition it would not keep until they are
    /// wanted.
    private void lookAt(CellTable table) {
        if (table.chunks() <= MOST_CHUNKS_LOOKED_AT) {
            seen += table.glanceAtAll();
        }
    }

    /// What is wanted of a partition: some of its 2^k leaves, from a hash on.
    public record Part(int partition, int k, BitSet wanted, long fromHash) {}
}
