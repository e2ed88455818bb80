package io.tallis.crdt;

import java.util.HexFormat;

/// The id under which a process writes: 128 random bits, made at every start and never used by another process (I2). Or
/// the id of a fold, which stands for the processes whose shards were added up ([Replicas]).
///
/// The order is that of the 32 hexadecimal digits, the same on all nodes.
public record ReplicaId(long high, long low) implements Comparable<ReplicaId> {
    /// The upper half of the id of every fold. That a process draws it by chance is as unlikely as any other id.
    private static final long FOLD = 0xF01D_F01D_F01D_F01DL;

    /// The id of a fold with these random bits.
    public static ReplicaId ofFold(long random) {
        return new ReplicaId(FOLD, random);
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
