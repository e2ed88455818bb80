package io.tallis.crdt;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// The form of a register: a value that `SET` has assigned, as a part of a cell.
///
/// ```
/// register   timestamp (8, big-endian) | state (1) | value
/// state      1   a whole number: eight bytes, big-endian, the sign bit turned over
///            2   any other bytes
///            255 none: what was assigned has been reset
/// ```
///
/// The order of [Parts] makes it a register whose last writer wins: a later timestamp is larger. Of two assignments
/// with one timestamp the larger value is kept, on every node the same, and a reset is larger than any value with its
/// timestamp.
///
/// A timestamp is a time of day in milliseconds, shifted by 16 bits, and some bits of the replica id, so that two nodes
/// hardly ever make the same one. A node whose clock is behind uses the smallest timestamp that is above the one it
/// sees, so that a client that assigns after it has read always wins over what it read. Stamps order assignments only;
/// no count depends on one.
public final class Register {
    static final int REPLICA_BITS = 16;
    static final int STATE_AT = Long.BYTES;
    static final int VALUE_AT = STATE_AT + 1;

    static final byte NUMBER = 1;
    static final byte BYTES = 2;
    static final byte NONE = (byte) 255;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /// Turns over the sign, so that numbers are in the order of their bytes.
    private static final long SIGN = Long.MIN_VALUE;

    /// The end of the year 5000: a timestamp beyond it is no time of day, and leaves no room for later ones.
    private static final long LATEST_MILLIS = 95_617_584_000_000L;

    private Register() {}

    /// A timestamp for an assignment at a time of day, above the timestamp `seen`, 0 if there is none. `replica` are
    /// any bits of the replica id.
    public static long timestamp(long epochMillis, long replica, long seen) {
        long lower = replica & (1L << REPLICA_BITS) - 1;
        long timestamp = Math.clamp(epochMillis, 0, LATEST_MILLIS / 2) << REPLICA_BITS | lower;
        if (Long.compareUnsigned(timestamp, seen) > 0) {
            return timestamp;
        }
        return ((seen >>> REPLICA_BITS) + 1) << REPLICA_BITS | lower;
    }

    static long timestampOf(byte[] array, int offset) {
        return (long) LONG.get(array, offset);
    }

    static long numberOf(byte[] array, int offset) {
        return (long) LONG.get(array, offset + VALUE_AT) ^ SIGN;
    }

    static void writeTimestamp(long timestamp, byte state, byte[] array) {
        LONG.set(array, 0, timestamp);
        array[STATE_AT] = state;
    }

    static void writeNumber(long number, byte[] array) {
        LONG.set(array, VALUE_AT, number ^ SIGN);
    }

    /// Whether this is a register that [Cell] may have.
    static boolean isWellFormed(byte[] array, int offset, int length) {
        if (length < VALUE_AT || timestampOf(array, offset) >>> REPLICA_BITS > LATEST_MILLIS) {
            return false;
        }
        return switch (array[offset + STATE_AT]) {
            case NUMBER -> length == VALUE_AT + Long.BYTES;
            case BYTES -> true;
            case NONE -> length == VALUE_AT;
            default -> false;
        };
    }
}
