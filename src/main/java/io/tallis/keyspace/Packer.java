package io.tallis.keyspace;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.wire.CellCodec;
import io.tallis.wire.IdCache;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Copies plain counters from their wire form into their packed form; [CellWriter] copies them back.
///
/// ```
/// wire    shards | flags, id unless left out, varints      in ascending order of ids
/// packed  shards | replica number, widths, fixed widths    in ascending order of numbers
/// ```
///
/// A node that joins receives millions of cells that are new to it. There is nothing to merge, and unpacking each into
/// a [io.tallis.crdt.Cell] would take more time than all the rest. A cell is plain if it has few shards, in the order
/// of the packed form, and no parts, was never reset, and has totals of at most 63 bits; nearly all are. All others are
/// left to [CellCodec], which also decides what is malformed: whatever is packed here could be decoded there. Belongs
/// to one thread.
final class Packer {
    /// Returned by [#pack] for a counter that is not plain.
    static final int NOT_PLAIN = -1;

    /// The most shards of a plain counter.
    static final int MOST_SHARDS = 8;

    private static final VarHandle ID = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int LONGEST_SHARD = 4 + 1 + 2 * Long.BYTES;

    /// With one more varint byte a total may have more than 63 bits.
    private static final int MOST_SHIFT = 63;

    private final Replicas replicas;
    private final IdCache met;
    private final byte[] packed = new byte[1 + MOST_SHARDS * LONGEST_SHARD];

    /// The positions of reading and writing.
    private int from;

    private int to;

    Packer(Replicas replicas) {
        this.replicas = replicas;
        met = new IdCache(replicas);
    }

    /// The packed form that [#pack] made last.
    byte[] packed() {
        return packed;
    }

    /// Packs the counter of a received cell. One with a shard of this process is not plain, since that has to be
    /// checked. Returns the packed size, or [#NOT_PLAIN].
    int pack(ReceivedCell cell) {
        byte[] wire = cell.array();
        from = cell.counterStart();
        int head = wire[from++];
        int shards = head >>> 1;
        if (shards <= 0 || shards > MOST_SHARDS || (head & 1) != 0) {
            return NOT_PLAIN;
        }
        to = 0;
        packed[to++] = (byte) head;
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
    private int packShard(byte[] wire, ReceivedCell cell) {
        int flags = wire[from++];
        int totals = flags & ~CellCodec.OWNER;
        int known = cell.type() == CounterType.GCOUNT ? CellCodec.UP : CellCodec.UP | CellCodec.DOWN;
        if (totals == 0 || (totals & ~known) != 0) {
            return NOT_PLAIN;
        }
        int replica = cell.owner();
        if ((flags & CellCodec.OWNER) == 0) {
            replica = met.numberOf((long) ID.get(wire, from), (long) ID.get(wire, from + Long.BYTES));
            from += CellCodec.ID_BYTES;
        }
        if (replicas.foldOf(replica) != Replicas.OWN || replicas.isUnknownFold(replica)) {
            return NOT_PLAIN;
        }
        to = PackedCell.writeVarint(replica, packed, to);
        int widthsAt = to++;
        int up = (totals & CellCodec.UP) == 0 ? 0 : packTotal(wire);
        int down = (totals & CellCodec.DOWN) == 0 ? 0 : packTotal(wire);
        packed[widthsAt] = (byte) (up | down << PackedCell.WIDTH_BITS);
        return (up | down) < 0 ? NOT_PLAIN : replica;
    }

    /// Returns the width, or [#NOT_PLAIN].
    private int packTotal(byte[] wire) {
        int next = wire[from++];
        long total = next & 0x7F;
        for (int shift = 7; next < 0; shift += 7) {
            if (shift == MOST_SHIFT) {
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
}
