package io.tallis.crdt;

import java.util.HexFormat;

/// The id under which a process writes: 128 random bits, made at every start and never used by another process (I2). Or
/// the id of a fold, which stands for the processes whose shards were added up ([Replicas]). Or that of a source, whose
/// totals a client keeps and tells to any process (I1).
///
/// The order is that of the 32 hexadecimal digits, the same on all nodes.
public record ReplicaId(long high, long low) implements Comparable<ReplicaId> {
    /// The upper half of the id of every fold. That a process draws it by chance is as unlikely as any other id.
    private static final long FOLD = 0xF01D_F01D_F01D_F01DL;

    /// The upper 32 bits of the id of every source. A process that draws them by chance is not harmed: its shards are
    /// only sent and kept more often than they need to be.
    private static final long SOURCE = 0x500C_E500L;

    /// The id of a fold with these random bits.
    public static ReplicaId ofFold(long random) {
        return new ReplicaId(FOLD, random);
    }

    /// The id of a source with these 96 bits of the hash of its name.
    public static ReplicaId ofSource(int hashHigh, long hashLow) {
        return new ReplicaId(SOURCE << Integer.SIZE | Integer.toUnsignedLong(hashHigh), hashLow);
    }

    /// Whether this is the id of a source.
    public boolean isSource() {
        return high >>> Integer.SIZE == SOURCE;
    }

    /// Whether this is the id of a fold.
    public boolean isFold() {
        return high == FOLD;
    }

    @Override
    public int compareTo(ReplicaId other) {
        int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    /// The 32 lower-case hexadecimal digits of the id.
    @Override
    public String toString() {
        return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
    }
}
