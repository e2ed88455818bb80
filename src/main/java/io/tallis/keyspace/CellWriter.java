package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CounterCodec;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// Writes cells in their wire form, with the id of one replica left out, or of none.
///
/// Nearly all are copied from their packed form without unpacking them into a [Counter]: the reverse of [Packer], which
/// explains why. The bytes are those of [CounterCodec] either way. Belongs to one thread.
final class CellWriter {
    private static final VarHandle ID = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /// The most bytes before the shards, without the key, and the most of a shard.
    private static final int LONGEST_HEAD = 5;

    private static final int LONGEST_SHARD = 1 + CounterCodec.ID_BYTES + 4 * 10;

    /// The lower bit of each of the four widths of a shard.
    private static final int LOW_BITS = 0b0101_0101;

    private final Replicas replicas;
    private final int owner;
    private final CounterCodec codec;
    private final Counter counter = new Counter();

    /// The positions of reading and writing.
    private int from;

    private int to;

    /// Leaves out the id of the replica numbered `owner`, which may be [CounterCodec#NO_OWNER].
    CellWriter(Replicas replicas, int owner) {
        this.replicas = replicas;
        this.owner = owner;
        codec = new CounterCodec(replicas);
    }

    /// Writes the cell at `slot`, of which `key` is that in its record.
    void write(CellTable table, int slot, Key key, ByteWriter out) {
        CounterType type = table.type(slot);
        if (!copy(type, key, out)) {
            codec.encodeKey(type, key.array(), key.offset(), key.length(), out);
            table.read(slot, counter);
            codec.encode(counter, owner, out);
        }
    }

    /// Copies a cell. `key` is a view of its record, where the packed counter follows it. Returns false, having written
    /// nothing, if the counter has to be unpacked: it has many shards, or they are not in the order of their ids, or
    /// one is empty or has a total beyond 64 bits.
    boolean copy(CounterType type, Key key, ByteWriter out) {
        byte[] cell = key.array();
        from = key.offset() + key.length();
        int shards = cell[from++];
        if (shards <= 0 || shards > Packer.MOST_SHARDS) {
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
            ReplicaId id = copyShard(cell, before, wire);
            if (id == null) {
                out.position(begin);
                return false;
            }
            before = id;
        }
        out.position(to);
        return true;
    }

    /// Returns the replica's id; null if the counter has to be unpacked, also since this id is not behind `before`.
    private @Nullable ReplicaId copyShard(byte[] cell, @Nullable ReplicaId before, byte[] wire) {
        int replica = PackedCell.readVarint(cell, from);
        from += PackedCell.varintSize(replica);
        int widths = cell[from++] & 0xFF;
        ReplicaId id = replicas.id(replica);
        boolean hasWidest = (widths & widths >>> 1 & LOW_BITS) != 0;
        if (widths == 0 || hasWidest || (before != null && before.compareTo(id) > 0)) {
            return null;
        }
        if (replica == owner) {
            wire[to++] = (byte) (flags(widths) | CounterCodec.OWNER);
        } else {
            wire[to++] = (byte) flags(widths);
            ID.set(wire, to, id.high());
            ID.set(wire, to + Long.BYTES, id.low());
            to += CounterCodec.ID_BYTES;
        }
        for (int left = widths; left != 0; left >>>= PackedCell.WIDTH_BITS) {
            copyTotal(left & PackedCell.WIDTH_MASK, cell, wire);
        }
        return id;
    }

    /// One bit for each width that is not zero.
    private static int flags(int widths) {
        int bits = (widths | widths >>> 1) & LOW_BITS;
        return (bits & 1) | ((bits >>> 1) & 2) | ((bits >>> 2) & 4) | ((bits >>> 3) & 8);
    }

    private void copyTotal(int width, byte[] cell, byte[] wire) {
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
