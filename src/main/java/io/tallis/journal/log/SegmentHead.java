package io.tallis.journal.log;

import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The first frame of a segment: its session, the size of its file, and where the segment before ends.
///
/// `previousEnd` is the only end that a segment with a successor has. What may stand behind it was never acknowledged,
/// or was written again behind this head. A file with fewer than `fileBytes` bytes has lost its end, and with it rows
/// that may have stood there.
public record SegmentHead(long number, long salt, ReplicaId session, long previousEnd, long fileBytes) {
    /// The version of the journal's form that this code writes, and the only one that it reads.
    static final int VERSION = 5;

    private static final int PAYLOAD = 1 + Long.BYTES + 2 * Long.BYTES + Long.BYTES + Long.BYTES;

    /// How many bytes the frame takes: the offset of the first frame behind it.
    public static final int BYTES = LogFrame.HEADER + PAYLOAD;

    public SegmentHead(long number, long salt, ReplicaId session, long previousEnd) {
        this(number, salt, session, previousEnd, 0);
    }

    /// The same, of a file of so many bytes.
    SegmentHead in(long bytes) {
        return new SegmentHead(number, salt, session, previousEnd, bytes);
    }

    public ByteBuffer toFrame() {
        ByteWriter payload = new ByteWriter(PAYLOAD);
        payload.u8(VERSION);
        payload.i64(salt);
        CellCodec.encodeId(session, payload);
        payload.i64(previousEnd);
        payload.i64(fileBytes);
        ByteBuffer frame = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        frame.put(LogFrame.HEADER, payload.array(), 0, PAYLOAD);
        LogFrame.seal(frame, 0, BYTES, LogFrame.HEAD, new LogFrame.Stamp(number, LogFrame.NO_SALT, 0));
        return frame.clear();
    }

    /// Throws [MalformedException] for damage, and another exception for another version.
    static SegmentHead decode(long number, ByteReader payload) throws IOException {
        int version = payload.u8();
        if (version != VERSION) {
            throw new IOException("version " + version + " of the journal, expected " + VERSION);
        }
        long salt = payload.i64();
        ReplicaId session = CellCodec.decodeId(payload);
        long previousEnd = payload.i64();
        return new SegmentHead(number, salt, session, previousEnd, payload.i64());
    }
}
