package io.tallis.cluster.frame;

import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.io.Serial;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// A received frame whose head is valid: its checksum is right, its version and kind are known. The body is not decoded
/// yet.
///
/// ```
/// magic (2) | version (1) | kind (1) | CRC32C of all that follows (4) | session (16) | head (8) | purge (4) | body
/// ```
///
/// `purge` is the tag of the last purge that the sender knew of: cells from before a purge may be deleted ones.
public record Frame(Kind kind, int version, ReplicaId session, long head, int purge, ByteReader body) {
    /// The version that every node understands. Beats are written in it, so that each node learns what others
    /// understand.
    public static final int OLDEST_VERSION = 1;

    public static final int HEAD_BYTES = 36;

    private static final int MAGIC_1 = 'T';
    private static final int MAGIC_2 = 'l';
    private static final int KIND_AT = 3;
    private static final int CHECKSUM_AT = 4;
    private static final int CHECKED_FROM = 8;

    /// Why a frame was dropped.
    public enum DropReason {
        /// Its checksum is wrong.
        DAMAGED,
        /// Its version is newer than this node understands.
        OTHER_VERSION,
        /// Its kind is unknown.
        UNKNOWN_KIND,
        /// Its form is wrong.
        MALFORMED,
        /// It names a session other than its sender.
        OTHER_SENDER,
        /// The inbox was full.
        INBOX_FULL,
        /// There is no memory for the cells in it.
        MEMORY_FULL,
        /// It has cells with a fold that this node has not made yet.
        UNKNOWN_FOLD,
        /// It has cells from before a purge.
        BEFORE_PURGE
    }

    /// The head of a frame is invalid.
    public static final class BadFrameException extends Exception {
        @Serial
        private static final long serialVersionUID = 1;

        private final DropReason reason;

        public BadFrameException(DropReason reason, String message) {
            super(message);
            this.reason = reason;
        }

        public DropReason reason() {
            return reason;
        }
    }

    /// Reads the head of a frame. Throws when it is invalid, or newer than `newestVersion`.
    public static Frame read(byte[] bytes, int newestVersion) throws BadFrameException, MalformedException {
        if (bytes.length < HEAD_BYTES || bytes[0] != MAGIC_1 || bytes[1] != MAGIC_2) {
            throw new BadFrameException(
                    DropReason.MALFORMED,
                    bytes.length
                            + " bytes that are no frame; does the sender use a cluster-key-file, and this node none?");
        }
        ByteReader in = new ByteReader().on(bytes, 2, bytes.length - 2);
        int version = in.u8();
        if (version < OLDEST_VERSION || version > newestVersion) {
            throw new BadFrameException(
                    DropReason.OTHER_VERSION,
                    "its version is " + version + ", and this node understands up to " + newestVersion);
        }
        int code = in.u8();
        Kind kind = Kind.ofCode(code);
        if (kind == null) {
            throw new BadFrameException(DropReason.UNKNOWN_KIND, "its kind is unknown: " + code);
        }
        if (bytes.length > kind.mostBytes()) {
            throw new BadFrameException(
                    DropReason.MALFORMED,
                    "a " + kind + " frame of " + bytes.length + " bytes, expected at most " + kind.mostBytes());
        }
        if (in.i32() != checksum(bytes, bytes.length)) {
            throw new BadFrameException(DropReason.DAMAGED, "its checksum is wrong; " + bytes.length + " bytes");
        }
        ReplicaId session = CellCodec.decodeId(in);
        long head = in.i64();
        if (head < 0) {
            throw new MalformedException("its head is negative: " + head);
        }
        return new Frame(kind, version, session, head, in.i32(), in);
    }

    /// Whether these bytes, if they are a frame, contain cells to be merged.
    public static boolean bringsCells(byte[] bytes) {
        Kind kind = kindOf(bytes);
        return kind != null && kind.bringsCells();
    }

    /// Whether these bytes, if they are a frame, contain cells that the receiver asked for.
    static boolean isRepair(byte[] bytes) {
        Kind kind = kindOf(bytes);
        return kind != null && kind.isRepair();
    }

    private static @Nullable Kind kindOf(byte[] bytes) {
        return bytes.length < HEAD_BYTES ? null : Kind.ofCode(bytes[KIND_AT]);
    }

    /// Begins a frame in an empty writer: the body follows.
    public static void begin(ByteWriter out, Kind kind, ReplicaId session, long head, int purge) {
        out.u8(MAGIC_1);
        out.u8(MAGIC_2);
        out.u8(OLDEST_VERSION);
        out.u8(kind.code());
        out.i32(0);
        CellCodec.encodeId(session, out);
        out.i64(head);
        out.i32(purge);
    }

    /// Completes the frame in `out` with its version and checksum, and returns a copy of it.
    public static byte[] seal(ByteWriter out, int version) {
        byte[] bytes = out.toByteArray();
        bytes[2] = (byte) version;
        int checksum = checksum(bytes, bytes.length);
        for (int i = 0; i < Integer.BYTES; i++) {
            bytes[CHECKSUM_AT + i] = (byte) (checksum >>> (8 * i));
        }
        return bytes;
    }

    private static int checksum(byte[] bytes, int length) {
        var crc = new CRC32C();
        crc.update(bytes, 2, 2);
        crc.update(bytes, CHECKED_FROM, length - CHECKED_FROM);
        return (int) crc.getValue();
    }
}
