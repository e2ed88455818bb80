package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// A counter as the bytes it takes in memory.
///
/// ```
/// number of shards (varint) | for each: replica number (varint) | widths (1) | totals
/// widths   two bits a total, p lowest, then n, rp, rn: 0 absent and zero, 1 four bytes, 2 eight, 3 sixteen
/// ```
///
/// A width holds a number until it outgrows it, so that nearly all changes are made in place. This process's own
/// shard has replica number 0 and comes first. Private to the process: replica numbers mean nothing elsewhere.
final class PackedCell {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /// How many bits say the width of a total, and all of them set.
    static final int WIDTH_BITS = 2;

    static final int WIDTH_MASK = 3;

    private static final int TOTALS = 4;

    private PackedCell() {}

    /// How many bytes the counter takes.
    static int size(Counter counter) {
        int size = varintSize(counter.shards());
        for (int i = 0; i < counter.shards(); i++) {
            int widths = widths(counter, i);
            size += varintSize(counter.replica(i)) + 1;
            for (; widths != 0; widths >>>= WIDTH_BITS) {
                size += bytesOf(widths & WIDTH_MASK);
            }
        }
        return size;
    }

    /// Writes the counter and returns the offset behind it.
    static int write(Counter counter, byte[] bytes, int offset) {
        int at = writeVarint(counter.shards(), bytes, offset);
        for (int i = 0; i < counter.shards(); i++) {
            int widths = widths(counter, i);
            at = writeVarint(counter.replica(i), bytes, at);
            bytes[at++] = (byte) widths;
            for (int total = 0; widths != 0; total += 2, widths >>>= WIDTH_BITS) {
                int width = widths & WIDTH_MASK;
                writeTotal(width, counter.high(i, total), counter.low(i, total), bytes, at);
                at += bytesOf(width);
            }
        }
        return at;
    }

    /// Fills `counter` from what [#write] wrote and returns the offset behind it.
    static int read(Counter counter, CounterType type, byte[] bytes, int offset) {
        counter.clear(type);
        int shards = readVarint(bytes, offset);
        int at = offset + varintSize(shards);
        for (int i = 0; i < shards; i++) {
            int replica = readVarint(bytes, at);
            at += varintSize(replica);
            int shard = counter.append(replica);
            int widths = bytes[at++] & 0xFF;
            for (int total = 0; widths != 0; total += 2, widths >>>= WIDTH_BITS) {
                int width = widths & WIDTH_MASK;
                readTotal(width, counter, shard, total, bytes, at);
                at += bytesOf(width);
            }
        }
        return at;
    }

    /// The offset behind the cell that starts at `offset`.
    static int skip(byte[] bytes, int offset) {
        int shards = readVarint(bytes, offset);
        int at = offset + varintSize(shards);
        for (int i = 0; i < shards; i++) {
            at += varintSize(readVarint(bytes, at));
            for (int widths = bytes[at++] & 0xFF; widths != 0; widths >>>= WIDTH_BITS) {
                at += bytesOf(widths & WIDTH_MASK);
            }
        }
        return at;
    }

    private static int widths(Counter counter, int shard) {
        int widths = 0;
        for (int i = 0; i < TOTALS; i++) {
            widths |= width(counter.high(shard, 2 * i), counter.low(shard, 2 * i)) << (i * WIDTH_BITS);
        }
        return widths;
    }

    private static int width(long high, long low) {
        if (high != 0) {
            return 3;
        }
        return low == 0 ? 0 : low >>> 32 == 0 ? 1 : 2;
    }

    private static int bytesOf(int width) {
        return width == 0 ? 0 : 2 << width;
    }

    private static void writeTotal(int width, long high, long low, byte[] bytes, int at) {
        switch (width) {
            case 0 -> {}
            case 1 -> INT.set(bytes, at, (int) low);
            default -> {
                LONG.set(bytes, at, low);
                if (width == 3) {
                    LONG.set(bytes, at + Long.BYTES, high);
                }
            }
        }
    }

    private static void readTotal(int width, Counter counter, int shard, int total, byte[] bytes, int at) {
        switch (width) {
            case 0 -> {}
            case 1 -> counter.put(shard, total, 0, (int) INT.get(bytes, at) & 0xFFFF_FFFFL);
            default -> {
                long high = width == 3 ? (long) LONG.get(bytes, at + Long.BYTES) : 0;
                counter.put(shard, total, high, (long) LONG.get(bytes, at));
            }
        }
    }

    static int varintSize(int value) {
        return value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : 4;
    }

    static int writeVarint(int value, byte[] bytes, int offset) {
        int at = offset;
        int rest = value;
        while (rest >= 0x80) {
            bytes[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[at++] = (byte) rest;
        return at;
    }

    static int readVarint(byte[] bytes, int offset) {
        int first = bytes[offset];
        if (first >= 0) {
            return first;
        }
        int value = first & 0x7F;
        for (int shift = 7, at = offset + 1; ; shift += 7, at++) {
            int next = bytes[at];
            value |= (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }
}
