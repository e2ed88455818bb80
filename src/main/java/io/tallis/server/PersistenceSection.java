package io.tallis.server;

import io.tallis.command.server.InfoFields;
import io.tallis.journal.JournalStatus;
import io.tallis.journal.checkpoint.CheckpointStatus;

/// The `INFO` section `persistence`, in Redis's order.
///
/// The journal corresponds to Redis's append-only file, a checkpoint to its rewriting, a backup to a snapshot. Nothing
/// forks, so the fields about copy-on-write are 0. The progress of a backup is left out: a backup shares most of its
/// files with the database, and there is nothing to count.
record PersistenceSection(
        boolean loading, boolean onDisk, long changes, long keysLoaded, BackupStatus backups, JournalStatus journal) {
    private static final int MILLIS = 1000;

    void tell(InfoFields fields) {
        fields.flag("loading", loading)
                .never("async_loading", "current_cow_peak", "current_cow_size", "current_cow_size_age")
                .decimal("current_fork_perc", 0, 2);
        tellBackups(fields);
        tellCheckpoints(fields, journal.checkpoint());
        // The base of Redis's append-only file corresponds to the database.
        fields.field("aof_current_size", journal.checkpoint().databaseBytes() + journal.bytesNeeded())
                .field("aof_base_size", journal.checkpoint().databaseBytes())
                .flag("aof_pending_rewrite", journal.checkpoint().due())
                .field("aof_buffer_length", journal.bytesWaiting())
                .flag("aof_pending_bio_fsync", journal.syncing())
                .field("aof_delayed_fsync", journal.slowSyncs());
    }

    /// The fields that exist while data is loaded from the disk or from other nodes.
    static void tellLoading(InfoFields fields, long sinceEpochSeconds, double percent) {
        fields.field("loading_start_time", sinceEpochSeconds).decimal("loading_loaded_perc", percent, 2);
    }

    private void tellBackups(InfoFields fields) {
        fields.field("rdb_changes_since_last_save", changes)
                .flag("rdb_bgsave_in_progress", backups.running())
                .field("rdb_last_save_time", backups.lastEpochSeconds())
                .field("rdb_last_bgsave_status", status(!backups.lastFailed()))
                .field("rdb_last_bgsave_time_sec", backups.lastSeconds())
                .field("rdb_current_bgsave_time_sec", backups.runningSeconds())
                .field("rdb_saves", backups.taken())
                .never("rdb_last_cow_size", "rdb_last_load_keys_expired")
                .field("rdb_last_load_keys_loaded", keysLoaded);
    }

    private void tellCheckpoints(InfoFields fields, CheckpointStatus checkpoint) {
        fields.flag("aof_enabled", onDisk)
                .flag("aof_rewrite_in_progress", checkpoint.running())
                .flag("aof_rewrite_scheduled", checkpoint.due())
                .field("aof_last_rewrite_time_sec", seconds(checkpoint.lastMillis()))
                .field("aof_current_rewrite_time_sec", seconds(checkpoint.runningMillis()))
                .field("aof_last_bgrewrite_status", status(checkpoint.failure() == null))
                .field("aof_rewrites", checkpoint.taken())
                .field("aof_rewrites_consecutive_failures", checkpoint.failuresInARow())
                .field("aof_last_write_status", status(journal.refusal() == null))
                .never("aof_last_cow_size", "module_fork_in_progress", "module_fork_last_cow_size");
    }

    private static String status(boolean good) {
        return good ? "ok" : "err";
    }

    private static long seconds(long millis) {
        return millis < 0 ? -1 : millis / MILLIS;
    }
}
