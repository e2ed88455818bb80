package io.tallis.journal.log;

import io.tallis.keyspace.TurnLog.Outcome;
import io.tallis.wire.ByteWriter;
import org.jspecify.annotations.Nullable;

/// The rows of one turn of an event loop on their way to the disk. The object is used again afterwards.
///
/// Belongs to the thread that records until it is pushed onto the [TurnStack], then to the [JournalLoop], which gives
/// it back.
final class Turn {
    private static final int INITIAL_BYTES = 1 << 10;

    final BufferedTurnLog owner;
    final ByteWriter rows = new ByteWriter(INITIAL_BYTES);

    /// When the journal got it.
    long sinceNanos;

    /// Whether a turn ends here; a long turn has several parts.
    boolean last;

    /// Called when the rows are written or lost; null afterwards, and for a part that is not the last.
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
