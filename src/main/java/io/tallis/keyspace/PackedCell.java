package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.wire.MalformedException;
import io.tallis.wire.PartsForm;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// A cell as the bytes it takes in memory.
///
/// ```
/// number of shards * 2 + 1 if parts follow (varint) | shard ... | parts
/// shard    replica number (varint) | widths (1) | totals
/// widths   two bits a total, p lowest, then n, rp, rn: 0 absent and zero, 1 four bytes, 2 eight, 3 sixteen
/// parts    see io.tallis.wire.PartsForm
/// ```
///
/// A width holds a number until it outgrows it, so that nearly all changes are made in place. This process's own shard
/// has replica number 0 and comes first. Private to the process: replica numbers mean nothing elsewhere.
final class PackedCell {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /// How many bits say the width of a total, and all of them set.
    static final int WIDTH_BITS = 2;

    static final int WIDTH_MASK = 3;

    private static final int TOTALS = 4;

    /// The lowest bit of a cell: parts follow its shards.
    private static final int PARTS_FOLLOW = 1;

    private PackedCell() {}

    /// How many bytes the cell takes.
    static int size(Cell cell) {
        Counter counts = cell.counts();
        int size = varintSize(counts.shards() << 1);
        for (int i = 0; i < counts.shards(); i++) {
            size += sizeOfShard(counts, i);
        }
        return size + PartsForm.size(cell);
    }

    /// How many bytes of it the shard at a position takes.
    static int sizeOfShard(Counter counts, int position) {
        int size = varintSize(counts.replica(position)) + 1;
        for (int widths = widths(counts, position); widths != 0; widths >>>= WIDTH_BITS) {
            size += bytesOf(widths & WIDTH_MASK);
        }
        return size;
    }

    /// Writes the cell and returns the offset behind it.
    static int write(Cell cell, byte[] bytes, int offset) {
        Counter counts = cell.counts();
        boolean hasParts = !cell.isPlain();
        int at = writeVarint(counts.shards() << 1 | (hasParts ? PARTS_FOLLOW : 0), bytes, offset);
        for (int i = 0; i < counts.shards(); i++) {
            int widths = widths(counts, i);
            at = writeVarint(counts.replica(i), bytes, at);
            bytes[at++] = (byte) widths;
            for (int total = 0; widths != 0; total += 2, widths >>>= WIDTH_BITS) {
                int width = widths & WIDTH_MASK;
                writeTotal(width, counts.high(i, total), counts.low(i, total), bytes, at);
                at += bytesOf(width);
            }
        }
        return hasParts ? PartsForm.write(cell, bytes, at) : at;
    }

    /// Fills `cell` from what [#write] wrote and returns the offset behind it.
    static int read(Cell cell, CounterType type, byte[] bytes, int offset) {
        cell.clear(type);
        Counter counts = cell.counts();
        int head = readVarint(bytes, offset);
        int at = offset + varintSize(head);
        for (int left = head >>> 1; left > 0; left--) {
            int replica = readVarint(bytes, at);
            at += varintSize(replica);
            int shard = counts.append(replica);
            int widths = bytes[at++] & 0xFF;
            for (int total = 0; widths != 0; total += 2, widths >>>= WIDTH_BITS) {
                int width = widths & WIDTH_MASK;
                readTotal(width, counts, shard, total, bytes, at);
                at += bytesOf(width);
            }
        }
        return (head & PARTS_FOLLOW) != 0 ? readParts(cell, bytes, at) : at;
    }

    private static int readParts(Cell cell, byte[] bytes, int offset) {
        try {
            return PartsForm.read(bytes, offset, bytes.length, cell);
        } catch (MalformedException impossible) {
            throw new IllegalStateException("parts that this process has written", impossible);
        }
    }

    /// The offset behind the shards of the cell that starts at `offset`.
    static int skipShards(byte[] bytes, int offset) {
        int head = readVarint(bytes, offset);
        int at = offset + varintSize(head);
        for (int left = head >>> 1; left > 0; left--) {
            at += varintSize(readVarint(bytes, at));
            for (int widths = bytes[at++] & 0xFF; widths != 0; widths >>>= WIDTH_BITS) {
                at += bytesOf(widths & WIDTH_MASK);
            }
        }
        return at;
    }

    /// The offset behind the cell that starts at `offset`.
    static int skip(byte[] bytes, int offset) {
        int at = skipShards(bytes, offset);
        return hasParts(bytes, offset) ? skipParts(bytes, at) : at;
    }

    /// The offset behind the parts that start at `offset`.
    static int skipParts(byte[] bytes, int offset) {
        try {
            return PartsForm.skip(bytes, offset, bytes.length);
        } catch (MalformedException impossible) {
            throw new IllegalStateException("parts that this process has written", impossible);
        }
    }

    /// Reads the life of the cell that starts at `offset`. Returns whether it has one.
    static boolean readLife(byte[] bytes, int offset, Life life) {
        try {
            return hasParts(bytes, offset) && PartsForm.readLife(bytes, skipShards(bytes, offset), life);
        } catch (MalformedException impossible) {
            throw new IllegalStateException("parts that this process has written", impossible);
        }
    }

    /// Whether the cell that starts at `offset` has parts.
    static boolean hasParts(byte[] bytes, int offset) {
        return (bytes[offset] & PARTS_FOLLOW) != 0;
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
