package io.tallis.sim;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Parts;
import java.nio.ByteBuffer;

/// The register of a cell: the number that was assigned last, or that it was reset since.
///
/// Read from the bytes that the product documents, and compared by plain arithmetic, independent of the product's.
record Assigned(long stamp, boolean isReset, long number) implements Comparable<Assigned> {
    /// Nothing was ever assigned.
    static final Assigned NEVER = new Assigned(0, true, 0);

    private static final int STAMP_BITS = 16;
    private static final int IS_NUMBER = 1;

    /// The register of a cell of the product.
    static Assigned of(Cell cell) {
        int position = cell.parts().find(Parts.REGISTER);
        if (position < 0) {
            return NEVER;
        }
        ByteBuffer bytes = ByteBuffer.wrap(
                cell.parts().array(),
                cell.parts().offset(position),
                cell.parts().length(position));
        long stamp = bytes.getLong();
        return bytes.get() == IS_NUMBER
                ? new Assigned(stamp, false, bytes.getLong() - Long.MIN_VALUE)
                : new Assigned(stamp, true, 0);
    }

    /// What an assignment makes of this: its stamp is the time of day and some bits of the session's id, unless that is
    /// not above the present stamp.
    Assigned then(long number, long epochMillis, long idBits) {
        long bits = idBits & (1L << STAMP_BITS) - 1;
        long byClock = (Math.max(0, epochMillis) << STAMP_BITS) + bits;
        boolean isLater = Long.compareUnsigned(byClock, stamp) > 0;
        return new Assigned(isLater ? byClock : (((stamp >>> STAMP_BITS) + 1) << STAMP_BITS) + bits, false, number);
    }

    Assigned reset() {
        return new Assigned(stamp, true, 0);
    }

    @Override
    public int compareTo(Assigned other) {
        int byStamp = Long.compareUnsigned(stamp, other.stamp);
        if (byStamp != 0) {
            return byStamp;
        }
        int byReset = Boolean.compare(isReset, other.isReset);
        return byReset != 0 ? byReset : Long.compare(number, other.number);
    }

    @Override
    public String toString() {
        return stamp == 0 ? "" : (isReset ? "reset" : "=" + number) + "@" + Long.toUnsignedString(stamp, 16);
    }
}
