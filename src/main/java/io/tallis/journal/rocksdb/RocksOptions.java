package io.tallis.journal.rocksdb;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.CompressionType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.Options;
import org.rocksdb.RateLimiter;
import org.rocksdb.TablePropertiesCollectorFactory;
import org.rocksdb.VectorMemTableConfig;

/// RocksDB's settings, for a load of a few large bursts of rows in no order and one scan of everything at the start.
///
/// Rows are gathered unsorted and sorted when they are flushed, nothing is cached, nothing is looked up by key. Rows
/// without a commit need not be flushed on close: the journal has them.
///
/// RocksDB's threads have normal priority: with a lower one they would starve on a busy processor, and the journal
/// would grow. To throttle them the bytes that they may write a second are limited, so that they have little to merge
/// either; a sort that is under way goes on.
final class RocksOptions implements AutoCloseable {
    private static final long MEMTABLE_BYTES = 1 << 24;
    private static final int MEMTABLES = 3;
    private static final int BLOCK_BYTES = 1 << 15;
    private static final int LOG_FILES = 2;
    private static final int BACKGROUND_JOBS = 2;

    /// A database with more files opens and closes some of them in turn. Without a bound RocksDB keeps all open, which
    /// takes descriptors from clients.
    private static final int OPEN_FILES = 64;

    /// More than RocksDB's two threads can write. Not much more: the allowance of a period that was not used may still
    /// be written after the limit was lowered.
    private static final long FULL_BYTES_PER_SECOND = 1 << 29;

    /// Not zero: a flush that is under way has to come to its end.
    private static final long THROTTLED_BYTES_PER_SECOND = 1 << 20;

    /// RocksDB derives these two from the rate limiter unless they are set: the pace of writes that wait for
    /// compactions, and how often a file is synced while it is written. These are its defaults without a limiter.
    private static final long DELAYED_WRITE_BYTES_PER_SECOND = 1 << 24;

    private static final long BYTES_PER_SYNC = 1L << 40;

    /// A file in which that many of so many neighbouring rows, or that share of all, are deletions is merged soon. Else
    /// rows that were deleted, such as those of expired counters, and their deletions would take space for long.
    private static final int DELETIONS = 5_000;

    private static final int NEIGHBOURS = 10_000;
    private static final double DELETED_SHARE = 0.5;

    private static final long REFILL_MICROS = TimeUnit.MILLISECONDS.toMicros(5);

    private final RateLimiter limiter = new RateLimiter(FULL_BYTES_PER_SECOND, REFILL_MICROS);
    private final TablePropertiesCollectorFactory deletions =
            TablePropertiesCollectorFactory.NewCompactOnDeletionCollectorFactory(NEIGHBOURS, DELETIONS, DELETED_SHARE);
    private final Options options = new Options();

    @GuardedBy("this")
    private boolean closed;

    RocksOptions() {
        options.setCreateIfMissing(true)
                .setMemTableConfig(new VectorMemTableConfig())
                .setAllowConcurrentMemtableWrite(false)
                .setWriteBufferSize(MEMTABLE_BYTES)
                .setMaxWriteBufferNumber(MEMTABLES)
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
                .setDelayedWriteRate(DELAYED_WRITE_BYTES_PER_SECOND)
                .setBytesPerSync(BYTES_PER_SYNC)
                .setTablePropertiesCollectorFactory(List.of(deletions));
    }

    /// Any thread may call, after [#close] too.
    synchronized void throttle(boolean throttled) {
        if (!closed) {
            limiter.setBytesPerSecond(throttled ? THROTTLED_BYTES_PER_SECOND : FULL_BYTES_PER_SECOND);
        }
    }

    Options options() {
        return options;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            options.close();
            deletions.close();
            limiter.close();
        }
    }
}
