package io.tallis.journal.log;

import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;

/// A row of the journal that holds no counter: it says when the rows behind it were written, up to the next such row,
/// within a second or so.
///
/// A start replays rows as of then. What counted as over at that time, or as not yet over, has to count so again: rows
/// of a key that was used anew after its cell was dropped begin at zero, and must not be merged with those of the
/// dropped cell; a deadline that was put off in time must not end what it was put off for.
///
/// ```
/// 254 (1), which is the type of no counter | milliseconds since 1970 (8)
/// ```
public final class TimeRow {
    /// How many bytes it takes.
    static final int BYTES = 1 + Long.BYTES;

    private static final int CODE = 254;

    private TimeRow() {}

    static void write(long epochMillis, ByteWriter rows) {
        rows.u8(CODE);
        rows.i64(epochMillis);
    }

    /// Whether such a row is next.
    public static boolean isNext(ByteReader rows) {
        return (rows.array()[rows.position()] & 0xFF) == CODE;
    }

    public static long read(ByteReader rows) throws MalformedException {
        rows.skip(1);
        return rows.i64();
    }
}
