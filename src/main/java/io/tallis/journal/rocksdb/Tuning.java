package io.tallis.journal.rocksdb;

import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.CompressionType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Options;
import org.rocksdb.VectorMemTableConfig;

/// How RocksDB is set up: for a few large bursts of rows in no order, and one reading of everything at the start.
///
/// Rows are gathered unsorted and sorted when they are flushed, nothing is cached, nothing is looked up by key.
/// What was not committed need not be flushed when it is closed: the journal has it.
/// Its threads have the priority of all others: at a lower one they would not get at a busy processor, and the
/// journal would grow.
final class Tuning implements AutoCloseable {
    private static final long MEMORY_BYTES = 1 << 24;
    private static final int MEMORIES = 3;
    private static final int BLOCK_BYTES = 1 << 15;
    private static final int LOG_FILES = 2;
    private static final int BACKGROUND_JOBS = 2;

    /// Of a database with more files some are closed in between. Without a bound all would stay open, and take
    /// descriptors from clients.
    private static final int OPEN_FILES = 64;

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
                .setStatsPersistPeriodSec(0);
    }

    Options options() {
        return options;
    }

    @Override
    public void close() {
        options.close();
    }
}
