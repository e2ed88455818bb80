package io.tallis.journal;

import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CounterCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// What the first frame of a segment says: whose it is, and where the segment before ends.
///
/// `previousEnd` is the only end that a segment with a successor has. What may stand behind it was never promised,
/// or was written again behind this head.
record SegmentHead(long number, long salt, ReplicaId session, long previousEnd) {
    /// The version of the journal's form that this code writes; it reads those before as well. Version 1 had no
    /// [OwnerRow].
    static final int VERSION = 2;

    private static final int PAYLOAD = 1 + Long.BYTES + 2 * Long.BYTES + Long.BYTES;

    /// How many bytes the frame takes: the offset of the first frame behind it.
    static final int BYTES = Frame.HEADER + PAYLOAD;

    ByteBuffer toFrame() {
        ByteWriter payload = new ByteWriter(PAYLOAD);
        payload.u8(VERSION);
        payload.i64(salt);
        CounterCodec.encodeId(session, payload);
        payload.i64(previousEnd);
        ByteBuffer frame = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        frame.put(Frame.HEADER, payload.array(), 0, PAYLOAD);
        Frame.seal(frame, 0, BYTES, Frame.HEAD, new Frame.Stamp(number, Frame.NO_SALT, 0));
        return frame.clear();
    }

    /// Throws [MalformedException] where there is damage, and another where only a later version can read it.
    static SegmentHead decode(long number, ByteReader payload) throws IOException {
        int version = payload.u8();
        if (version < 1 || version > VERSION) {
            throw new IOException("version " + version + " of the journal, expected 1 to " + VERSION);
        }
        long salt = payload.i64();
        ReplicaId session = CounterCodec.decodeId(payload);
        return new SegmentHead(number, salt, session, payload.i64());
    }
}
