package io.tallis.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Reads what a [ByteWriter] wrote, within bounds: whatever the bytes are, it reads no further than its limit and
/// throws [MalformedException] instead.
public final class ByteReader {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] bytes = new byte[0];
    private int position;
    private int limit;
    private long varintHigh;

    /// Reads from these bytes next.
    public ByteReader on(byte[] source, int offset, int length) {
        bytes = source;
        position = offset;
        limit = offset + length;
        return this;
    }

    public static ByteReader of(byte[] source) {
        return new ByteReader().on(source, 0, source.length);
    }

    public byte[] array() {
        return bytes;
    }

    public int position() {
        return position;
    }

    public void position(int position) {
        this.position = position;
    }

    public int remaining() {
        return limit - position;
    }

    public int u8() throws MalformedException {
        require(1);
        return bytes[position++] & 0xFF;
    }

    public int i32() throws MalformedException {
        require(Integer.BYTES);
        int value = (int) INT.get(bytes, position);
        position += Integer.BYTES;
        return value;
    }

    public long i64() throws MalformedException {
        require(Long.BYTES);
        long value = (long) LONG.get(bytes, position);
        position += Long.BYTES;
        return value;
    }

    /// A count of things that take at least `leastSize` bytes each, so that no more are claimed than can follow.
    public int count(int leastSize) throws MalformedException {
        long count = varint();
        if (count < 0 || count > remaining() / leastSize) {
            throw new MalformedException("a count of " + Long.toUnsignedString(count) + " with " + remaining()
                    + " bytes left at offset " + position);
        }
        return (int) count;
    }

    /// An unsigned number of at most 64 bits.
    public long varint() throws MalformedException {
        long low = varint128();
        if (varintHigh != 0) {
            throw new MalformedException("a number beyond 64 bits at offset " + position);
        }
        return low;
    }

    /// The low half of an unsigned number of at most 128 bits; [#high] is the other half.
    public long varint128() throws MalformedException {
        int first = u8();
        varintHigh = 0;
        return first < 0x80 ? first : longVarint(first);
    }

    /// The high half of the number that [#varint128] read last.
    public long high() {
        return varintHigh;
    }

    private long longVarint(int first) throws MalformedException {
        long low = first & 0x7F;
        for (int shift = 7; shift < 128; shift += 7) {
            int next = u8();
            long part = next & 0x7F;
            if (shift < 64) {
                low |= part << shift;
                varintHigh |= shift > 57 ? part >>> (64 - shift) : 0;
            } else {
                varintHigh |= part << (shift - 64);
                requireFits(part, shift);
            }
            if (next < 0x80) {
                requireShortest(next);
                return low;
            }
        }
        throw new MalformedException("a number beyond 128 bits at offset " + position);
    }

    private void requireFits(long part, int shift) throws MalformedException {
        if (shift == 126 && part > 3) {
            throw new MalformedException("a number beyond 128 bits at offset " + position);
        }
    }

    private void requireShortest(int last) throws MalformedException {
        if (last == 0) {
            throw new MalformedException("a number longer than needed at offset " + position);
        }
    }

    public void skip(int length) throws MalformedException {
        require(length);
        position += length;
    }

    private void require(int length) throws MalformedException {
        if (length < 0 || limit - position < length) {
            throw new MalformedException(
                    length + " bytes expected at offset " + position + ", " + remaining() + " left");
        }
    }
}
