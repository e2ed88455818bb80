package io.tallis.journal;

import org.jspecify.annotations.Nullable;

/// How the journal does, at one moment, for `INFO` and health.
///
/// `bytesAtRisk` have been written and not been synced. `refusal` is the error that changes get at
/// present, `failure` what went wrong last, be it over or not. Times are -1 where nothing happened yet.
public record JournalStatus(
        int segments,
        long journalBytes,
        long bytesSinceCheckpoint,
        long bytesAtRisk,
        long lastSyncMillisAgo,
        long turnsWaiting,
        long failures,
        @Nullable String failure,
        @Nullable String refusal,
        boolean checkpointRunning,
        long lastCheckpointEpochMillis,
        long lastCheckpointMillis,
        long lastCheckpointCells,
        @Nullable String checkpointFailure) {
    static final JournalStatus NOT_RUNNING =
            new JournalStatus(0, 0, 0, 0, -1, 0, 0, null, null, false, -1, -1, -1, null);
}
