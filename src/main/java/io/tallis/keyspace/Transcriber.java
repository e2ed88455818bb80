package io.tallis.keyspace;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.IdCache;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// Copies plain counters from their wire form into their packed form, and back.
///
/// ```
/// wire    shards | flags, id unless left out, varints      in ascending order of ids
/// packed  shards | replica number, widths, fixed widths    in ascending order of numbers
/// ```
///
/// Whoever joins takes in millions of cells that are new to it, and its providers give them: nothing is merged there,
/// and a [io.tallis.crdt.Counter] in between, general as it is, takes more time than all the rest. Plain is a counter
/// of
/// few shards, whose order is the same in both forms, of totals of at most 64 bits; nearly all are. Of others this says
/// that they are not, and leaves them to [io.tallis.wire.CounterCodec] and [PackedCell], whose forms these are. Belongs
/// to one thread.
final class Transcriber {
    /// What [#pack] returns of a counter that is not plain.
    static final int NOT_PLAIN = -1;

    private static final VarHandle ID = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    // Flags of a shard on the wire.
    private static final int UP = 1;
    private static final int DOWN = 2;
    private static final int OWNER = 16;

    private static final int MOST_SHARDS = 8;
    private static final int ID_BYTES = 16;

    /// The most bytes of what stands before the shards, and of a shard that is plain, in either form.
    private static final int LONGEST_HEAD = 5;

    private static final int LONGEST_SHARD = 1 + ID_BYTES + 4 * 10;

    private static final int WIDTH_BITS = 2;
    private static final int WIDTH_MASK = 3;

    /// The lower bit of each of the four widths of a shard.
    private static final int LOW_BITS = 0b0101_0101;

    private final Replicas replicas;
    private final IdCache met;
    private final byte[] packed = new byte[LONGEST_HEAD + MOST_SHARDS * LONGEST_SHARD];

    /// Where it reads and where it writes.
    private int from;

    private int to;

    Transcriber(Replicas replicas) {
        this.replicas = replicas;
        met = new IdCache(replicas);
    }

    /// The packed form that [#pack] made last.
    byte[] packed() {
        return packed;
    }

    /// Packs the counter of a cell that others told, unless something of it was reset, or it has a shard of this
    /// process: these have to be looked at. Returns its size, or [#NOT_PLAIN].
    int pack(ToldCell cell) {
        byte[] wire = cell.array();
        from = cell.counterStart();
        int shards = wire[from++];
        if (shards <= 0 || shards > MOST_SHARDS) {
            return NOT_PLAIN;
        }
        to = 0;
        packed[to++] = (byte) shards;
        int replica = Replicas.OWN;
        for (int i = 0; i < shards; i++) {
            int next = packShard(wire, cell);
            if (next <= replica) {
                return NOT_PLAIN;
            }
            replica = next;
        }
        return to;
    }

    /// Returns the number of the shard's replica, or [#NOT_PLAIN].
    private int packShard(byte[] wire, ToldCell cell) {
        int flags = wire[from++];
        int totals = flags & ~OWNER;
        int known = cell.type() == CounterType.GCOUNT ? UP : UP | DOWN;
        if (totals == 0 || (totals & ~known) != 0) {
            return NOT_PLAIN;
        }
        int replica = cell.owner();
        if ((flags & OWNER) == 0) {
            replica = met.numberOf((long) ID.get(wire, from), (long) ID.get(wire, from + Long.BYTES));
            from += ID_BYTES;
        }
        to = PackedCell.writeVarint(replica, packed, to);
        int widthsAt = to++;
        int up = (totals & UP) == 0 ? 0 : packTotal(wire);
        int down = (totals & DOWN) == 0 ? 0 : packTotal(wire);
        packed[widthsAt] = (byte) (up | down << WIDTH_BITS);
        return (up | down) < 0 ? NOT_PLAIN : replica;
    }

    /// Returns the width, or [#NOT_PLAIN].
    private int packTotal(byte[] wire) {
        int next = wire[from++];
        long total = next & 0x7F;
        for (int shift = 7; next < 0; shift += 7) {
            if (shift == 63) {
                return NOT_PLAIN;
            }
            next = wire[from++];
            total |= (long) (next & 0x7F) << shift;
        }
        if (next == 0) {
            // A total of zero, or a number longer than needed.
            return NOT_PLAIN;
        }
        if (total >>> Integer.SIZE == 0) {
            INT.set(packed, to, (int) total);
            to += Integer.BYTES;
            return 1;
        }
        LONG.set(packed, to, total);
        to += Long.BYTES;
        return 2;
    }

    /// Writes a cell whose key stands in its record, in front of its packed counter. The id of the replica numbered
    /// `owner` is left out. Returns false, having written nothing, if the cell is not plain.
    boolean write(CounterType type, Key key, int owner, ByteWriter out) {
        byte[] cell = key.array();
        from = key.offset() + key.length();
        int shards = cell[from++];
        if (shards <= 0 || shards > MOST_SHARDS) {
            return false;
        }
        int begin = out.position();
        out.position(begin + LONGEST_HEAD + key.length() + shards * LONGEST_SHARD);
        byte[] wire = out.array();
        to = begin;
        wire[to++] = (byte) type.code();
        to = PackedCell.writeVarint(key.length(), wire, to);
        System.arraycopy(cell, key.offset(), wire, to, key.length());
        to += key.length();
        wire[to++] = (byte) shards;
        ReplicaId before = null;
        for (int i = 0; i < shards; i++) {
            ReplicaId id = writeShard(cell, before, owner, wire);
            if (id == null) {
                out.position(begin);
                return false;
            }
            before = id;
        }
        out.position(to);
        return true;
    }

    /// Returns the replica's id; null if the shard is not plain, or does not belong behind the one `before`.
    private @Nullable ReplicaId writeShard(byte[] cell, @Nullable ReplicaId before, int owner, byte[] wire) {
        int replica = PackedCell.readVarint(cell, from);
        from += PackedCell.varintSize(replica);
        int widths = cell[from++] & 0xFF;
        ReplicaId id = replicas.id(replica);
        boolean hasWidest = (widths & widths >>> 1 & LOW_BITS) != 0;
        if (widths == 0 || hasWidest || (before != null && before.compareTo(id) > 0)) {
            return null;
        }
        if (replica == owner) {
            wire[to++] = (byte) (flags(widths) | OWNER);
        } else {
            wire[to++] = (byte) flags(widths);
            ID.set(wire, to, id.high());
            ID.set(wire, to + Long.BYTES, id.low());
            to += ID_BYTES;
        }
        for (int left = widths; left != 0; left >>>= WIDTH_BITS) {
            writeTotal(left & WIDTH_MASK, cell, wire);
        }
        return id;
    }

    /// One bit for each width that is not zero.
    private static int flags(int widths) {
        int bits = (widths | widths >>> 1) & LOW_BITS;
        return (bits & 1) | ((bits >>> 1) & 2) | ((bits >>> 2) & 4) | ((bits >>> 3) & 8);
    }

    private void writeTotal(int width, byte[] cell, byte[] wire) {
        if (width == 0) {
            return;
        }
        long total = width == 1 ? Integer.toUnsignedLong((int) INT.get(cell, from)) : (long) LONG.get(cell, from);
        from += 2 << width;
        while ((total & ~0x7FL) != 0) {
            wire[to++] = (byte) (total | 0x80);
            total >>>= 7;
        }
        wire[to++] = (byte) total;
    }
}
