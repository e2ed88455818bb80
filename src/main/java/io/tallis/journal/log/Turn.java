package io.tallis.journal.log;

import io.tallis.keyspace.TurnLog.Outcome;
import io.tallis.wire.ByteWriter;
import org.jspecify.annotations.Nullable;

/// Rows of one turn of an event loop on their way to the disk, used again when they are there.
///
/// Belongs to the thread that records until it is pushed into the [TurnStack], then to the [JournalLoop], which gives
/// it back.
final class Turn {
    private static final int INITIAL_BYTES = 1 << 10;

    final BufferedTurnLog owner;
    final ByteWriter rows = new ByteWriter(INITIAL_BYTES);

    /// When the journal got it.
    long sinceNanos;

    /// Whether a turn ends here; else it is the first part of one.
    boolean last;

    /// Whom to tell; null once told, and for a part that is not the last.
    @Nullable
    Outcome outcome;

    /// The link of the stack that the turn is on.
    @Nullable
    Turn next;

    Turn(BufferedTurnLog owner) {
        this.owner = owner;
    }

    int bytes() {
        return rows.position();
    }

    /// How much memory its rows may take without growing.
    int capacity() {
        return rows.array().length;
    }

    void clear() {
        rows.clear();
        outcome = null;
    }
}
