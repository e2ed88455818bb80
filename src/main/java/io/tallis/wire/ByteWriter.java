package io.tallis.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// A byte array that grows as it is written to. Numbers are little-endian; counts and totals are varints of seven bits
/// a byte, lowest first.
public final class ByteWriter {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int LONGEST_VARINT = 19;

    private byte[] bytes;
    private int position;

    public ByteWriter(int initialCapacity) {
        bytes = new byte[initialCapacity];
    }

    /// The array behind; valid until the next write, and only up to [#position].
    public byte[] array() {
        return bytes;
    }

    /// How many bytes have been written.
    public int position() {
        return position;
    }

    /// Goes back to `position`, or leaves a gap up to it to be filled in later.
    public void position(int position) {
        reserve(Math.max(0, position - this.position));
        this.position = position;
    }

    public void clear() {
        position = 0;
    }

    /// Gives back the memory of an unusually large content, once it has been cleared.
    public void shrinkTo(int capacity) {
        if (position == 0 && bytes.length > capacity) {
            bytes = new byte[capacity];
        }
    }

    public byte[] toByteArray() {
        return Arrays.copyOf(bytes, position);
    }

    public void u8(int value) {
        reserve(1);
        bytes[position++] = (byte) value;
    }

    public void i32(int value) {
        reserve(Integer.BYTES);
        INT.set(bytes, position, value);
        position += Integer.BYTES;
    }

    public void i64(long value) {
        reserve(Long.BYTES);
        LONG.set(bytes, position, value);
        position += Long.BYTES;
    }

    /// Overwrites four bytes that were written before.
    public void i32At(int at, int value) {
        INT.set(bytes, at, value);
    }

    /// Overwrites eight bytes that were written before.
    public void i64At(int at, long value) {
        LONG.set(bytes, at, value);
    }

    /// An unsigned number of 64 bits in one to ten bytes.
    public void varint(long value) {
        varint(0, value);
    }

    /// An unsigned number of 128 bits in one to nineteen bytes.
    public void varint(long high, long low) {
        reserve(LONGEST_VARINT);
        long upper = high;
        long lower = low;
        while (upper != 0 || (lower & ~0x7FL) != 0) {
            bytes[position++] = (byte) (lower | 0x80);
            lower = lower >>> 7 | upper << 57;
            upper >>>= 7;
        }
        bytes[position++] = (byte) lower;
    }

    public void bytes(byte[] source, int offset, int length) {
        reserve(length);
        System.arraycopy(source, offset, bytes, position, length);
        position += length;
    }

    private void reserve(int more) {
        if (bytes.length - position < more) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(position, more), bytes.length + (bytes.length >> 1)));
        }
    }
}
