package io.tallis.wire;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Life;
import io.tallis.crdt.Parts;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// The form of what a cell has besides its counts, the same in memory, on disk and on the wire.
///
/// ```
/// parts   part ...                                              in ascending order of kind
/// part    kind * 2 + 1 if another follows (1) | length (varint) | content
/// life    kind 1: flags (1) | deadline (5 or 8) | number, version (varints) | horizon (8) | first (varints)
///         | outlived number, version (varints), if there are any
/// flags   1 it has a deadline   2 of eight bytes   4 number and version follow, else they are 0 and 1
///         8 the horizon is forever   16 the horizon follows, else it is the deadline
///         32 the earliest first deadline follows, else it is the deadline: the bits in which it differs from that, or
///         from the end of time where there is none
///         64 the latest one follows, else it is the earliest: the milliseconds between them
///         128 it has ended on the node that wrote this, which is of no account to others
/// ```
///
/// A deadline from 2020 to 2054 is written as the milliseconds since 2020, which five bytes hold. So it costs eight
/// bytes in all, with which no record in memory is rounded up further than without.
///
/// Kinds from 2 on are kept as bytes, see [Parts]. Every part says how long it is, so that one of a kind that is not
/// known can be skipped, kept and forwarded. One content has one form (I5).
public final class PartsForm {
    private static final int LIFE = 1;

    private static final int DATED = 1;
    private static final int WIDE = 2;
    private static final int COUNTED = 4;
    private static final int FOREVER = 8;
    private static final int HORIZON = 16;
    private static final int FIRST = 32;
    private static final int SPAN = 64;
    private static final int ENDED = 128;

    /// A node that counts lives and versions one by one does not come near.
    private static final long MOST_LIVES = 1L << 62;

    private static final int NARROW_BYTES = 5;
    private static final int NARROW_BITS = NARROW_BYTES * Byte.SIZE;

    /// 2020 began, in milliseconds since 1970.
    private static final long NARROW_SINCE = 1_577_836_800_000L;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private PartsForm() {}

    /// How many bytes the parts take; 0 if there are none.
    public static int size(Cell cell) {
        int size = cell.life().isEmpty() ? 0 : sized(lifeSize(cell.life()));
        Parts parts = cell.parts();
        for (int i = 0; i < parts.count(); i++) {
            size += sized(parts.length(i));
        }
        return size;
    }

    private static int sized(int length) {
        return 1 + varintSize(length) + length;
    }

    /// Writes the parts, of which there is one at least. Returns the offset behind them.
    public static int write(Cell cell, byte[] bytes, int offset) {
        int at = offset;
        Parts parts = cell.parts();
        if (!cell.life().isEmpty()) {
            bytes[at++] = (byte) (LIFE << 1 | (parts.count() > 0 ? 1 : 0));
            at = writeVarint(lifeSize(cell.life()), bytes, at);
            at = writeLife(cell.life(), bytes, at);
        }
        for (int i = 0; i < parts.count(); i++) {
            bytes[at++] = (byte) (parts.kind(i) << 1 | (i + 1 < parts.count() ? 1 : 0));
            int length = parts.length(i);
            at = writeVarint(length, bytes, at);
            System.arraycopy(parts.array(), parts.offset(i), bytes, at, length);
            at += length;
        }
        return at;
    }

    /// Reads parts that end before `end`. Returns the offset behind them.
    public static int read(byte[] bytes, int offset, int end, Cell cell) throws MalformedException {
        int at = offset;
        int before = 0;
        boolean more = true;
        while (more) {
            require(end - at >= 2, at);
            int tag = bytes[at] & 0xFF;
            int kind = tag >>> 1;
            more = (tag & 1) != 0;
            int length = readVarint(bytes, at + 1, end);
            int content = at + 1 + varintSize(length);
            require(kind > before && length <= end - content, at);
            if (kind == LIFE) {
                readLife(bytes, content, length, cell.life());
            } else {
                cell.parts().append(kind, bytes, content, length);
            }
            before = kind;
            at = content + length;
        }
        return at;
    }

    /// The offset behind the parts at `offset`, which end before `end`. Looks at lengths only.
    public static int skip(byte[] bytes, int offset, int end) throws MalformedException {
        int at = offset;
        boolean more = true;
        while (more) {
            require(end - at >= 2, at);
            more = (bytes[at] & 1) != 0;
            int length = readVarint(bytes, at + 1, end);
            at += 1 + varintSize(length);
            require(length <= end - at, at);
            at += length;
        }
        return at;
    }

    /// Reads the life alone from the parts at `offset`. Returns whether there is one.
    public static boolean readLife(byte[] bytes, int offset, Life life) throws MalformedException {
        if ((bytes[offset] & 0xFF) >>> 1 != LIFE) {
            return false;
        }
        int length = readVarint(bytes, offset + 1, bytes.length);
        readLife(bytes, offset + 1 + varintSize(length), length, life);
        return true;
    }

    // Life

    private static int lifeSize(Life life) {
        int flags = flags(life);
        int size = 1;
        if ((flags & DATED) != 0) {
            size += (flags & WIDE) != 0 ? Long.BYTES : NARROW_BYTES;
        }
        if ((flags & COUNTED) != 0) {
            size += varintSize(life.number()) + varintSize(life.version());
        }
        size += (flags & HORIZON) != 0 ? Long.BYTES : 0;
        size += (flags & FIRST) != 0 ? varintSize(life.deadline() ^ life.earliestFirst()) : 0;
        size += (flags & SPAN) != 0 ? varintSize(life.latestFirst() - life.earliestFirst()) : 0;
        return size + (life.hasOutlived() ? varintSize(life.outlivedNumber()) + varintSize(life.outlivedVersion()) : 0);
    }

    private static int flags(Life life) {
        int flags = 0;
        if (life.hasDeadline()) {
            flags |= DATED | (isNarrow(life.deadline()) ? 0 : WIDE);
        }
        if (life.number() != 0 || life.version() != 1) {
            flags |= COUNTED;
        }
        if (life.horizon() == Life.FOREVER) {
            flags |= FOREVER;
        } else if (life.horizon() != life.deadline()) {
            flags |= HORIZON;
        }
        if (life.earliestFirst() != life.deadline()) {
            flags |= FIRST;
        }
        if (life.latestFirst() != life.earliestFirst()) {
            flags |= SPAN;
        }
        return life.isEnded() ? flags | ENDED : flags;
    }

    private static boolean isNarrow(long deadline) {
        return (deadline - NARROW_SINCE) >>> NARROW_BITS == 0;
    }

    private static int writeLife(Life life, byte[] bytes, int offset) {
        int flags = flags(life);
        int at = offset;
        bytes[at++] = (byte) flags;
        if ((flags & DATED) != 0) {
            at = (flags & WIDE) != 0
                    ? writeNumber(life.deadline(), Long.BYTES, bytes, at)
                    : writeNumber(life.deadline() - NARROW_SINCE, NARROW_BYTES, bytes, at);
        }
        if ((flags & COUNTED) != 0) {
            at = writeVarint(life.number(), bytes, at);
            at = writeVarint(life.version(), bytes, at);
        }
        at = (flags & HORIZON) != 0 ? writeNumber(life.horizon(), Long.BYTES, bytes, at) : at;
        at = (flags & FIRST) != 0 ? writeVarint(life.deadline() ^ life.earliestFirst(), bytes, at) : at;
        at = (flags & SPAN) != 0 ? writeVarint(life.latestFirst() - life.earliestFirst(), bytes, at) : at;
        if (life.hasOutlived()) {
            at = writeVarint(life.outlivedNumber(), bytes, at);
            at = writeVarint(life.outlivedVersion(), bytes, at);
        }
        return at;
    }

    private static int writeNumber(long number, int length, byte[] bytes, int offset) {
        for (int i = 0; i < length; i++) {
            bytes[offset + i] = (byte) (number >>> (i * Byte.SIZE));
        }
        return offset + length;
    }

    private static void readLife(byte[] bytes, int offset, int length, Life life) throws MalformedException {
        int end = offset + length;
        require(length > 0, offset);
        int flags = bytes[offset] & 0xFF;
        int at = offset + 1;
        long deadline = Life.NEVER;
        if ((flags & DATED) != 0) {
            boolean wide = (flags & WIDE) != 0;
            int width = wide ? Long.BYTES : NARROW_BYTES;
            require(end - at >= width, offset);
            deadline = readNumber(bytes, at, width) + (wide ? 0 : NARROW_SINCE);
            at += width;
        }
        long number = 0;
        long version = 1;
        if ((flags & COUNTED) != 0) {
            number = readVarint64(bytes, at, end);
            at += varintSize(number);
            version = readVarint64(bytes, at, end);
            at += varintSize(version);
        }
        long horizon = (flags & FOREVER) != 0 ? Life.FOREVER : deadline;
        if ((flags & HORIZON) != 0) {
            require(end - at >= Long.BYTES, offset);
            horizon = readNumber(bytes, at, Long.BYTES);
            at += Long.BYTES;
        }
        long otherBits = 0;
        if ((flags & FIRST) != 0) {
            otherBits = readVarint64(bytes, at, end);
            at += varintSize(otherBits);
        }
        long span = 0;
        if ((flags & SPAN) != 0) {
            span = readVarint64(bytes, at, end);
            at += varintSize(span);
        }
        long earliestFirst = deadline ^ otherBits;
        life.set(number, version, deadline, earliestFirst, earliestFirst + span, horizon);
        life.ended((flags & ENDED) != 0);
        if (at < end) {
            long outlivedNumber = readVarint64(bytes, at, end);
            at += varintSize(outlivedNumber);
            long outlivedVersion = readVarint64(bytes, at, end);
            at += varintSize(outlivedVersion);
            require(outlivedNumber < MOST_LIVES && outlivedVersion < MOST_LIVES && outlivedVersion > 0, offset);
            boolean _ = life.outlive(outlivedNumber, outlivedVersion);
        }
        boolean hasHorizon = deadline == Life.NEVER ? (flags & (FOREVER | HORIZON)) != 0 : horizon >= deadline;
        boolean hasFirst = earliestFirst >= 0 && (span == 0 || span < Life.NEVER - earliestFirst);
        require(hasFirst && (life.hasDeadline() || !life.isEnded()), offset);
        require(deadline >= 0 && horizon >= 0 && number < MOST_LIVES && version < MOST_LIVES, offset);
        require(at == end && hasHorizon && !life.isEmpty() && flags == flags(life), offset);
    }

    private static long readNumber(byte[] bytes, int offset, int length) {
        if (length == Long.BYTES) {
            return (long) LONG.get(bytes, offset);
        }
        long number = 0;
        for (int i = 0; i < length; i++) {
            number |= (bytes[offset + i] & 0xFFL) << (i * Byte.SIZE);
        }
        return number;
    }

    // Varints

    private static int varintSize(long value) {
        return (Long.SIZE - Long.numberOfLeadingZeros(value | 1) + 6) / 7;
    }

    private static int writeVarint(long value, byte[] bytes, int offset) {
        int at = offset;
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[at++] = (byte) rest;
        return at;
    }

    private static int readVarint(byte[] bytes, int offset, int end) throws MalformedException {
        long value = readVarint64(bytes, offset, end);
        require(value <= Integer.MAX_VALUE, offset);
        return (int) value;
    }

    private static long readVarint64(byte[] bytes, int offset, int end) throws MalformedException {
        long value = 0;
        int at = offset;
        for (int shift = 0; shift < Long.SIZE - 1; shift += 7) {
            require(at < end, offset);
            int next = bytes[at++];
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                require(next != 0 || shift == 0, offset);
                return value;
            }
        }
        throw malformed(offset);
    }

    private static void require(boolean holds, int offset) throws MalformedException {
        if (!holds) {
            throw malformed(offset);
        }
    }

    private static MalformedException malformed(int offset) {
        return new MalformedException("part of a cell at offset " + offset);
    }
}
