package io.tallis.journal.checkpoint;

import org.jspecify.annotations.Nullable;

/// How checkpoints do, at one moment.
///
/// `due` is one that was asked for and has not begun, `runningMillis` how long the one that is being taken has
/// taken so far. `taken` have succeeded since the start, and `failuresInARow` have failed since the last of them;
/// `failure` is why, null when the last one succeeded. `databaseBytes` is how long the database's files were at the
/// end of the last. Times are -1 where nothing happened yet.
public record CheckpointStatus(
        boolean due,
        boolean running,
        long runningMillis,
        long taken,
        long failuresInARow,
        @Nullable String failure,
        long lastEpochMillis,
        long lastMillis,
        long lastCells,
        long databaseBytes) {
    public static final CheckpointStatus NONE = new CheckpointStatus(false, false, -1, 0, 0, null, -1, -1, -1, 0);
}
