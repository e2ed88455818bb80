package io.tallis.journal.log;

import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;

/// A row of the journal that holds no counter but a note of [io.tallis.keyspace.Folds].
///
/// ```
/// 253 (1), which is the type of no counter | length (varint) | note
/// ```
public final class NoteRow {
    private static final int CODE = 253;

    private NoteRow() {}

    static void write(byte[] note, ByteWriter rows) {
        rows.u8(CODE);
        rows.varint(note.length);
        rows.bytes(note, 0, note.length);
    }

    /// Whether such a row is next.
    public static boolean isNext(ByteReader rows) {
        return (rows.array()[rows.position()] & 0xFF) == CODE;
    }

    public static byte[] read(ByteReader rows) throws MalformedException {
        rows.skip(1);
        byte[] note = new byte[rows.count(1)];
        System.arraycopy(rows.array(), rows.position(), note, 0, note.length);
        rows.skip(note.length);
        return note;
    }
}
