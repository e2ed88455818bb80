package io.tallis.journal.log;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// The form of a frame of the journal.
///
/// ```
/// offset  bytes
///      0      4  magic: "TALJ" for the head, a number made of the salt for rows
///      4      4  CRC32C of the segment's salt and of all that follows here
///      8      4  length of the payload
///     12      4  kind: 1 the head of a segment, 2 rows
///     16      8  number of the segment
///     24      8  durable mark: all before this offset of the segment survived any crash when this was written
///     32      .  payload
///
/// head    version (1) | salt (8) | replica id of the session (16) | where the segment before ends (8)
/// rows    entries of CellCodec; a shard without an id is that of the segment's session, or of another replica that
///         an OwnerRow before it names; TimeRows between them say when they were recorded
/// ```
///
/// Numbers are little-endian. A file that is used again still holds frames of the segment that it was: their segment
/// number and salt are others, so they never count. The salt is random and goes into every checksum but the head's, so
/// that a client that chooses keys cannot make the bytes of a key pass for a frame.
public final class LogFrame {
    static final int MAGIC = 'T' | 'A' << 8 | 'L' << 16 | 'J' << 24;
    public static final int HEADER = 32;
    static final int CRC_AT = 4;
    static final int LENGTH_AT = 8;
    static final int KIND_AT = 12;
    static final int SEGMENT_AT = 16;
    static final int DURABLE_AT = 24;

    public static final int HEAD = 1;
    static final int ROWS = 2;

    /// Head frames are checked before their salt is known.
    public static final long NO_SALT = 0;

    private LogFrame() {}

    /// Completes the frame whose payload stands from `start + HEADER` to `end`. `frame` is little-endian; its position
    /// and limit are undefined afterwards.
    public static void seal(ByteBuffer frame, int start, int end, int kind, Stamp stamp) {
        frame.clear();
        frame.putInt(start + LENGTH_AT, end - start - HEADER);
        frame.putInt(start + KIND_AT, kind);
        stamp(frame, start, end, stamp);
    }

    /// Changes the frame from `start` to `end`, which is sealed, into one of another segment.
    static void stamp(ByteBuffer frame, int start, int end, Stamp stamp) {
        frame.clear();
        frame.putInt(start, magic(stamp.salt()));
        frame.putLong(start + SEGMENT_AT, stamp.segment());
        frame.putLong(start + DURABLE_AT, stamp.durable());
        frame.limit(end).position(start + LENGTH_AT);
        frame.putInt(start + CRC_AT, crc(frame, stamp.salt()));
    }

    /// The first bytes of a frame whose checksum has that salt.
    static int magic(long salt) {
        return salt == NO_SALT ? MAGIC : (int) (salt ^ salt >>> Integer.SIZE);
    }

    /// The checksum of what remains in `bytes`.
    static int crc(ByteBuffer bytes, long salt) {
        CRC32C crc = new CRC32C();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            crc.update((int) (salt >>> shift));
        }
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /// Ties a frame to its segment, and says how far that was durable.
    public record Stamp(long segment, long salt, long durable) {}
}
