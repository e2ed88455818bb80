package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// Writes cells in their wire form, with the id of one replica left out, or of none.
///
/// Nearly all are copied from their packed form without unpacking them into a [Cell]: the reverse of [Packer], which
/// explains why. The bytes are those of [CellCodec] either way. Belongs to one thread.
final class CellWriter {
    private static final VarHandle ID = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /// The most bytes before the shards, without the key, and the most of a shard.
    private static final int LONGEST_HEAD = 5;

    private static final int LONGEST_SHARD = 1 + CellCodec.ID_BYTES + 4 * 10;

    /// The lower bit of each of the four widths of a shard.
    private static final int LOW_BITS = 0b0101_0101;

    private final Replicas replicas;
    private final int owner;
    private final CellCodec codec;
    private final Cell cell = new Cell();

    /// The positions of reading and writing.
    private int from;

    private int to;

    /// Leaves out the id of the replica numbered `owner`, which may be [CellCodec#NO_OWNER].
    CellWriter(Replicas replicas, int owner) {
        this.replicas = replicas;
        this.owner = owner;
        codec = new CellCodec(replicas);
    }

    /// Writes the cell at `slot`, of which `key` is that in its record.
    void write(CellTable table, int slot, Key key, ByteWriter out) {
        CounterType type = table.type(slot);
        if (!copy(type, key, out)) {
            codec.encodeKey(type, key.array(), key.offset(), key.length(), out);
            table.read(slot, cell);
            codec.encode(cell, owner, out);
        }
    }

    /// The same as of a time of day, see [Expiry#showAsOf]. Returns false, having written nothing, if there is no such
    /// cell then.
    boolean writeAsOf(CellTable table, int slot, Key key, Expiry expiry, long asOf, ByteWriter out) {
        if (!table.hasParts(slot)) {
            write(table, slot, key, out);
            return true;
        }
        table.read(slot, cell);
        if (!expiry.showAsOf(cell, asOf)) {
            return false;
        }
        codec.encodeKey(cell.type(), key.array(), key.offset(), key.length(), out);
        codec.encode(cell, owner, out);
        return true;
    }

    /// Copies a cell. `key` is a view of its record, where the packed cell follows it. Returns false, having written
    /// nothing, if the cell has to be unpacked: it has many shards, or they are not in the order of their ids, or one
    /// is empty or has a total beyond 64 bits.
    boolean copy(CounterType type, Key key, ByteWriter out) {
        byte[] packed = key.array();
        from = key.offset() + key.length();
        int head = packed[from++];
        int shards = head >>> 1;
        if (head < 0 || shards > Packer.MOST_SHARDS) {
            return false;
        }
        int begin = out.position();
        int parts = 0;
        int partsBegin = 0;
        if (PackedCell.hasParts(packed, from - 1)) {
            partsBegin = PackedCell.skipShards(packed, from - 1);
            parts = PackedCell.skipParts(packed, partsBegin) - partsBegin;
        }
        out.position(begin + LONGEST_HEAD + key.length() + shards * LONGEST_SHARD + parts);
        byte[] wire = out.array();
        to = begin;
        wire[to++] = (byte) type.code();
        to = PackedCell.writeVarint(key.length(), wire, to);
        System.arraycopy(packed, key.offset(), wire, to, key.length());
        to += key.length();
        wire[to++] = (byte) head;
        ReplicaId before = null;
        for (int i = 0; i < shards; i++) {
            ReplicaId id = copyShard(packed, before, wire);
            if (id == null) {
                out.position(begin);
                return false;
            }
            before = id;
        }
        System.arraycopy(packed, partsBegin, wire, to, parts);
        out.position(to + parts);
        return true;
    }

    /// Returns the replica's id; null if the cell has to be unpacked, also since this id is not behind `before`.
    private @Nullable ReplicaId copyShard(byte[] packed, @Nullable ReplicaId before, byte[] wire) {
        int replica = PackedCell.readVarint(packed, from);
        from += PackedCell.varintSize(replica);
        int widths = packed[from++] & 0xFF;
        ReplicaId id = replicas.id(replica);
        boolean hasWidest = (widths & widths >>> 1 & LOW_BITS) != 0;
        if (widths == 0 || hasWidest || (before != null && before.compareTo(id) > 0)) {
            return null;
        }
        if (replica == owner) {
            wire[to++] = (byte) (flags(widths) | CellCodec.OWNER);
        } else {
            wire[to++] = (byte) flags(widths);
            ID.set(wire, to, id.high());
            ID.set(wire, to + Long.BYTES, id.low());
            to += CellCodec.ID_BYTES;
        }
        for (int left = widths; left != 0; left >>>= PackedCell.WIDTH_BITS) {
            copyTotal(left & PackedCell.WIDTH_MASK, packed, wire);
        }
        return id;
    }

    /// One bit for each width that is not zero.
    private static int flags(int widths) {
        int bits = (widths | widths >>> 1) & LOW_BITS;
        return (bits & 1) | ((bits >>> 1) & 2) | ((bits >>> 2) & 4) | ((bits >>> 3) & 8);
    }

    private void copyTotal(int width, byte[] packed, byte[] wire) {
        if (width == 0) {
            return;
        }
        long total = width == 1 ? Integer.toUnsignedLong((int) INT.get(packed, from)) : (long) LONG.get(packed, from);
        from += 2 << width;
        while ((total & ~0x7FL) != 0) {
            wire[to++] = (byte) (total | 0x80);
            total >>>= 7;
        }
        wire[to++] = (byte) total;
    }
}
