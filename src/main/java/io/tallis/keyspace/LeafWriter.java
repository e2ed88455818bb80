package io.tallis.keyspace;

import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteWriter;
import java.util.BitSet;

/// Writes the cells of leaves, see [PartitionDigest], in their wire form, for a node that lacks them. The id of this
/// process is left out.
///
/// Belongs to one thread.
public final class LeafWriter {
    /// About how many cells are written under one hold of a lock.
    private static final int RANGE = 16;

    /// About a megabyte: what a processor's cache keeps, and loads in a tenth of a millisecond.
    private static final int MOST_CHUNKS_LOADED = 256;

    private final Keyspace keyspace;
    private final CellWriter writer;

    /// Without a meaning. Kept so that the compiler cannot leave out the loads.
    @SuppressWarnings("UnusedVariable")
    private int seen;

    public LeafWriter(Keyspace keyspace) {
        this.keyspace = keyspace;
        writer = new CellWriter(keyspace.replicas(), Replicas.OWN);
    }

    /// Writes the cells of a part until `out` has reached a position. Returns the probe hash to go on from,
    /// [Keyspace#END] when done.
    public long write(Part part, int untilPosition, ByteWriter out) {
        PartitionDigest.requireLeafBits(part.k);
        keyspace.fold(part.partition);
        if (part.fromHash == 0 && part.k == 0) {
            load(keyspace.partition(part.partition).table());
        }
        CellWalk walk = new CellWalk(CellWalk.ANY_STAMP, (table, slot, key) -> {
            if (part.wanted.get(PartitionDigest.leafOf(key.place(), part.k))) {
                writer.write(table, slot, key, out);
            }
        });
        return keyspace.walkRanges(part.partition, part.fromHash, RANGE, () -> out.position() < untilPosition, walk);
    }

    /// Loads all records into the cache in the order of addresses. The walk goes in the order of hashes, and the
    /// processor would wait for nearly every record. A very large partition would not stay in the cache until it is
    /// needed.
    private void load(CellTable table) {
        if (table.chunks() <= MOST_CHUNKS_LOADED) {
            seen += table.peekAll();
        }
    }

    /// The cells of a partition that are in the `wanted` ones of its 2^k leaves, from a probe hash on, 0 at first.
    public record Part(int partition, int k, BitSet wanted, long fromHash) {}
}
