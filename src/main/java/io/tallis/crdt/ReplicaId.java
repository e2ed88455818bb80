package io.tallis.crdt;

import java.util.HexFormat;

/// The id under which a process writes: 128 random bits, made at every start and never used by another process (I2).
///
/// The order is that of the 32 hexadecimal digits, the same on all nodes.
public record ReplicaId(long high, long low) implements Comparable<ReplicaId> {

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
