package io.tallis.journal.log;

import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CounterCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// What the first frame of a segment says: whose it is, how long its file was made, and where the segment before ends.
///
/// `previousEnd` is the only end that a segment with a successor has. What may stand behind it was never promised,
/// or was written again behind this head. A file that has fewer than `fileBytes` has lost its end, and with it what the
/// last segment may have had there.
public record SegmentHead(long number, long salt, ReplicaId session, long previousEnd, long fileBytes) {
    /// The version of the journal's form that this code writes; it reads those before as well. Version 1 had no
    /// [OwnerRow], and version 2 did not tell `fileBytes`.
    static final int VERSION = 3;

    private static final int PAYLOAD = 1 + Long.BYTES + 2 * Long.BYTES + Long.BYTES + Long.BYTES;

    /// How many bytes the frame takes: the offset of the first frame behind it.
    public static final int BYTES = LogFrame.HEADER + PAYLOAD;

    public SegmentHead(long number, long salt, ReplicaId session, long previousEnd) {
        this(number, salt, session, previousEnd, 0);
    }

    /// The same, of a file that is made so long.
    SegmentHead in(long bytes) {
        return new SegmentHead(number, salt, session, previousEnd, bytes);
    }

    public ByteBuffer toFrame() {
        ByteWriter payload = new ByteWriter(PAYLOAD);
        payload.u8(VERSION);
        payload.i64(salt);
        CounterCodec.encodeId(session, payload);
        payload.i64(previousEnd);
        payload.i64(fileBytes);
        ByteBuffer frame = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        frame.put(LogFrame.HEADER, payload.array(), 0, PAYLOAD);
        LogFrame.seal(frame, 0, BYTES, LogFrame.HEAD, new LogFrame.Stamp(number, LogFrame.NO_SALT, 0));
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
        long previousEnd = payload.i64();
        return new SegmentHead(number, salt, session, previousEnd, version < 3 ? 0 : payload.i64());
    }
}
