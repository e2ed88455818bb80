package io.tallis.journal.checkpoint;

import org.jspecify.annotations.Nullable;

/// The state of checkpoints at one moment.
///
/// `due` is whether one was requested and has not begun, `runningMillis` how long the present one has taken so far.
/// `taken` have succeeded since the start, and `failuresInARow` have failed since the last of them; `failure` is why,
/// null when the last one succeeded. `databaseBytes` is the size of the database's files at the end of the last. Times
/// are -1 where nothing happened yet.
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
