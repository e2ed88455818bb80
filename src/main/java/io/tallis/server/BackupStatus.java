package io.tallis.server;

/// The state of backups at one moment, for `INFO`. Durations are in seconds, -1 where there is none.
record BackupStatus(
        boolean running, long runningSeconds, long taken, long lastEpochSeconds, long lastSeconds, boolean lastFailed) {
    /// Before the first.
    static BackupStatus none(long startedEpochSeconds) {
        return new BackupStatus(false, -1, 0, startedEpochSeconds, -1, false);
    }
}
