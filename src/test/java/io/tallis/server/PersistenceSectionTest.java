package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.command.server.Info;
import io.tallis.command.server.InfoFields;
import io.tallis.journal.JournalStatus;
import io.tallis.journal.checkpoint.CheckpointStatus;
import io.tallis.metrics.DurationHistogram;
import org.junit.jupiter.api.Test;

final class PersistenceSectionTest {
    private static final BackupStatus NO_BACKUP = BackupStatus.none(1000);

    @Test
    void nothingOnDisk_isTold() {
        assertThat(lines(false, NO_BACKUP, JournalStatus.NOT_RUNNING))
                .contains("loading:0", "aof_enabled:0", "rdb_last_save_time:1000", "rdb_saves:0")
                .contains("rdb_last_bgsave_time_sec:-1", "rdb_current_bgsave_time_sec:-1")
                .contains("aof_last_rewrite_time_sec:-1", "aof_current_rewrite_time_sec:-1", "aof_current_size:0");
    }

    @Test
    void backupUnderWay_isTold() {
        var backup = new BackupStatus(true, 7, 3, 2000, 5, true);

        assertThat(lines(true, backup, JournalStatus.NOT_RUNNING))
                .contains("rdb_bgsave_in_progress:1", "rdb_current_bgsave_time_sec:7", "rdb_saves:3")
                .contains("rdb_last_save_time:2000", "rdb_last_bgsave_time_sec:5", "rdb_last_bgsave_status:err")
                .contains("rdb_changes_since_last_save:42", "rdb_last_load_keys_loaded:11");
    }

    @Test
    void checkpointUnderWay_isTold() {
        var checkpoint = new CheckpointStatus(false, true, 2500, 9, 0, null, 1, 1999, 50, 4000);

        assertThat(lines(true, NO_BACKUP, journal(null, checkpoint)))
                .contains("aof_enabled:1", "aof_rewrite_in_progress:1", "aof_rewrite_scheduled:0", "aof_rewrites:9")
                .contains("aof_current_rewrite_time_sec:2", "aof_last_rewrite_time_sec:1")
                .contains("aof_base_size:4000", "aof_current_size:4300", "aof_buffer_length:20")
                .contains("aof_pending_bio_fsync:1", "aof_delayed_fsync:6", "aof_last_write_status:ok");
    }

    @Test
    void failures_areTold() {
        var checkpoint = new CheckpointStatus(true, false, -1, 9, 2, "no space", 1, 1999, 50, 4000);

        assertThat(lines(true, NO_BACKUP, journal("MISCONF", checkpoint)))
                .contains("aof_last_bgrewrite_status:err", "aof_rewrites_consecutive_failures:2")
                .contains("aof_rewrite_scheduled:1", "aof_pending_rewrite:1", "aof_last_write_status:err");
    }

    private static JournalStatus journal(String refusal, CheckpointStatus checkpoint) {
        return new JournalStatus(
                1, 1000, 300, 20, 10, 7, 640, 5, true, 6, new DurationHistogram(), 1, 0, null, -1, refusal, checkpoint);
    }

    private static String[] lines(boolean onDisk, BackupStatus backups, JournalStatus journal) {
        InfoFields fields = new InfoFields();
        new PersistenceSection(false, onDisk, 42, 11, backups, journal).tell(fields);
        return Info.lines(fields.list()).split("\r\n", -1);
    }
}
