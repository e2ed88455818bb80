package io.tallis.keyspace;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.wire.CounterCodec;
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
/// Whoever joins takes in millions of cells that are new to it, and its providers give them: nothing is merged there,
/// and a [io.tallis.crdt.Counter] in between, general as it is, takes more time than all the rest. Plain is a counter
/// of few shards, in the order that the packed form has, of which nothing was ever reset, with totals of at most 63
/// bits; nearly all are. Whatever is not is left to [CounterCodec], which also says what is malformed: all that is
/// packed here could be decoded there. Belongs to one thread.
final class Packer {
    /// What [#pack] returns of a counter that is not plain.
    static final int NOT_PLAIN = -1;

    /// The most shards of a counter that is plain.
    static final int MOST_SHARDS = 8;

    private static final VarHandle ID = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int LONGEST_SHARD = 4 + 1 + 2 * Long.BYTES;

    /// With one more varint byte a total may have more than 63 bits.
    private static final int MOST_SHIFT = 63;

    private final IdCache met;
    private final byte[] packed = new byte[1 + MOST_SHARDS * LONGEST_SHARD];

    /// Where it reads and where it writes.
    private int from;

    private int to;

    Packer(Replicas replicas) {
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
        int totals = flags & ~CounterCodec.OWNER;
        int known = cell.type() == CounterType.GCOUNT ? CounterCodec.UP : CounterCodec.UP | CounterCodec.DOWN;
        if (totals == 0 || (totals & ~known) != 0) {
            return NOT_PLAIN;
        }
        int replica = cell.owner();
        if ((flags & CounterCodec.OWNER) == 0) {
            replica = met.numberOf((long) ID.get(wire, from), (long) ID.get(wire, from + Long.BYTES));
            from += CounterCodec.ID_BYTES;
        }
        to = PackedCell.writeVarint(replica, packed, to);
        int widthsAt = to++;
        int up = (totals & CounterCodec.UP) == 0 ? 0 : packTotal(wire);
        int down = (totals & CounterCodec.DOWN) == 0 ? 0 : packTotal(wire);
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
