package io.tallis.journal.log;

import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;

/// A row of the journal that holds no counter: it names the replica whose shards have no id in the rows behind it, up
/// to the next such row or the end of the frame. With it counters that came from other nodes can be kept in the form in
/// which they came, without being encoded again.
///
/// ```
/// 255 (1), which is the type of no counter | replica id (16)
/// ```
public final class OwnerRow {
    private static final int CODE = 255;

    private OwnerRow() {}

    static void write(ReplicaId owner, ByteWriter rows) {
        rows.u8(CODE);
        CellCodec.encodeId(owner, rows);
    }

    /// Whether such a row is next.
    public static boolean isNext(ByteReader rows) {
        return (rows.array()[rows.position()] & 0xFF) == CODE;
    }

    public static ReplicaId read(ByteReader rows) throws MalformedException {
        rows.skip(1);
        return CellCodec.decodeId(rows);
    }
}
