package io.tallis.journal.rocksdb;

import java.util.concurrent.TimeUnit;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.CompressionType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Options;
import org.rocksdb.RateLimiter;
import org.rocksdb.VectorMemTableConfig;

/// How RocksDB is set up: for a few large bursts of rows in no order, and one reading of everything at the start.
///
/// Rows are gathered unsorted and sorted when they are flushed, nothing is cached, nothing is looked up by key.
/// What was not committed need not be flushed when it is closed: the journal has it.
/// Its threads have the priority of all others: at a lower one they would not get at a busy processor, and the
/// journal would grow. Those that are held back may write little, so that they have little to merge either; what is
/// being sorted they sort to the end.
final class Tuning implements AutoCloseable {
    private static final long MEMORY_BYTES = 1 << 24;
    private static final int MEMORIES = 3;
    private static final int BLOCK_BYTES = 1 << 15;
    private static final int LOG_FILES = 2;
    private static final int BACKGROUND_JOBS = 2;

    /// Of a database with more files some are closed in between. Without a bound all would stay open, and take
    /// descriptors from clients.
    private static final int OPEN_FILES = 64;

    /// More than its two threads write. Not more than that: what a period allows and nobody writes may be written after
    /// the limit was made smaller.
    private static final long UNHELD_BYTES_PER_SECOND = 1 << 29;

    /// What is under way goes on, slowly, so that nobody waits for ever.
    private static final long HELD_BYTES_PER_SECOND = 1 << 20;

    /// Where a limit is set RocksDB would take it for the pace of writes that wait for merges, and have files synced a
    /// megabyte at a time, unless told otherwise. These are as without one.
    private static final long STALLED_BYTES_PER_SECOND = 1 << 24;

    private static final long WHOLE_FILES = 1L << 40;

    private static final long PERIOD_MICROS = TimeUnit.MILLISECONDS.toMicros(5);

    private final RateLimiter limiter = new RateLimiter(UNHELD_BYTES_PER_SECOND, PERIOD_MICROS);
    private final Options options = new Options();

    Tuning() {
        options.setCreateIfMissing(true)
                .setMemTableConfig(new VectorMemTableConfig())
                .setAllowConcurrentMemtableWrite(false)
                .setWriteBufferSize(MEMORY_BYTES)
                .setMaxWriteBufferNumber(MEMORIES)
                .setMaxBackgroundJobs(BACKGROUND_JOBS)
                .setMaxOpenFiles(OPEN_FILES)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setTableFormatConfig(
                        new BlockBasedTableConfig().setNoBlockCache(true).setBlockSize(BLOCK_BYTES))
                .setParanoidChecks(true)
                .setAvoidFlushDuringShutdown(true)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setKeepLogFileNum(LOG_FILES)
                .setStatsDumpPeriodSec(0)
                .setStatsPersistPeriodSec(0)
                .setRateLimiter(limiter)
                .setDelayedWriteRate(STALLED_BYTES_PER_SECOND)
                .setBytesPerSync(WHOLE_FILES);
    }

    void holdBack(boolean held) {
        limiter.setBytesPerSecond(held ? HELD_BYTES_PER_SECOND : UNHELD_BYTES_PER_SECOND);
    }

    Options options() {
        return options;
    }

    @Override
    public void close() {
        options.close();
        limiter.close();
    }
}
