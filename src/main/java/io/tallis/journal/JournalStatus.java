package io.tallis.journal;

import io.tallis.journal.checkpoint.CheckpointStatus;
import io.tallis.metrics.DurationHistogram;
import org.jspecify.annotations.Nullable;

/// The state of the journal at one moment, for `INFO` and metrics.
///
/// `bytesNeeded` have been written and are in no checkpoint; `bytesWaiting` have been handed over and not been written;
/// `bytesAtRisk` have been written and not been synced: all before `syncedOffset` of segment `segment` is durable.
/// `slowSyncs` took longer than a second; `syncs` are those of all times. `refusal` is the error that changes get at
/// present, `failure` what went wrong last, whether it is over or not, at `failureEpochMillis`. Times are -1 where
/// nothing happened yet.
public record JournalStatus(
        int segments,
        long journalBytes,
        long bytesNeeded,
        long bytesWaiting,
        long bytesAtRisk,
        long segment,
        long syncedOffset,
        long lastSyncMillisAgo,
        boolean syncing,
        long slowSyncs,
        DurationHistogram syncs,
        long turnsWaiting,
        long failures,
        @Nullable String failure,
        long failureEpochMillis,
        @Nullable String refusal,
        CheckpointStatus checkpoint) {
    /// No journal, or none yet.
    public static final JournalStatus NOT_RUNNING = new JournalStatus(
            0, 0, 0, 0, 0, 0, 0, -1, false, 0, new DurationHistogram(), 0, 0, null, -1, null, CheckpointStatus.NONE);

    public boolean checkpointRunning() {
        return checkpoint.running();
    }
}
