package io.tallis.resp;

/// The digits of decimal numbers, written without allocating.
final class Digits {
    private static final int TEN = 10;
    private static final long[] POWERS = powers();

    private Digits() {}

    private static long[] powers() {
        long[] powers = new long[19];
        powers[0] = 1;
        for (int i = 1; i < powers.length; i++) {
            powers[i] = powers[i - 1] * TEN;
        }
        return powers;
    }

    /// The length of a signed number.
    static int length(long value) {
        if (value < 0) {
            return value == Long.MIN_VALUE ? 20 : 1 + length(-value);
        }
        int length = 1;
        while (length < POWERS.length && value >= POWERS[length]) {
            length++;
        }
        return length;
    }

    /// Writes a signed number of this length.
    static void write(long value, byte[] target, int offset, int length) {
        long rest = value;
        for (int at = offset + length - 1; at > offset; at--) {
            target[at] = digit((int) (rest % TEN));
            rest /= TEN;
        }
        target[offset] = value < 0 ? (byte) '-' : digit((int) rest);
    }

    /// The length of an unsigned number above 2^63-1, which is negative as a `long`.
    static int lengthUnsigned(long value) {
        return 1 + length(Long.divideUnsigned(value, TEN));
    }

    /// Writes an unsigned number above 2^63-1 of this length.
    static void writeUnsigned(long value, byte[] target, int offset, int length) {
        long tenth = Long.divideUnsigned(value, TEN);
        write(tenth, target, offset, length - 1);
        target[offset + length - 1] = digit((int) (value - tenth * TEN));
    }

    /// The remainder of a negative number is negative.
    private static byte digit(int remainder) {
        return (byte) ('0' + Math.abs(remainder));
    }
}
