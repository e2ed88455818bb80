package io.tallis.journal.rocksdb;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.journal.checkpoint.CellStore;
import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Pause;
import io.tallis.keyspace.CellVisitor;
import io.tallis.runtime.Directories;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.rocksdb.FlushOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// One generation of the database: a RocksDB database without a log of its own.
///
/// All rows are in one column family, whose memory is flushed in the order in which it was written: when the row that
/// [#commit] writes is on the disk, so are all rows before it.
///
/// ```
/// commit row   key 0xFF, behind the keys of all cells
///              value   version (1) | first segment of the journal that is needed (8)
/// ```
///
/// ```
///     open: for reading ──openForWriting──▶ for writing ──a write fails──▶ closed
///                                                ▲──────openForWriting───────┘
/// ```
///
/// A start opens it for reading: opening for writing makes files, for which a full disk has no room, and deletes files
/// that RocksDB does not know. A database that failed to write refuses all further writes, so it is closed and opened
/// again by the next checkpoint.
///
/// The checkpoint's thread writes; other threads ask for [#damage]. RocksDB must not be closed while another thread is
/// in it, so all that closes it and [#damage] share a lock. [#throttle] takes another lock: it must not wait for a
/// disk.
public final class RocksCellStore implements CellStore {
    /*
     * What is asked of RocksDB, and what is not
     * -----------------------------------------
     * Its write-ahead log is off: the journal is ours. So a write is in memory until RocksDB flushes it to a table, at any
     * time it likes, and a crash leaves any prefix of the writes. That suffices: rows are whole cells with absolute
     * totals, and until the commit row is durable a start replays the journal from before all of them.
     *
     * commit() writes its row last and waits for a flush. A flush takes the memory in the order in which it was written,
     * and makes a table durable before the manifest names it, so the commit row is never durable without the rows before.
     *
     * RocksDB reports damage as a status of a read, a write or an open. It reports nothing about files that others delete
     * while it has them open: it would go on for days from its descriptors, and fail at the next start. So damage() looks
     * for the names and sizes of the files that RocksDB says are live.
     */

    private static final int READ_AHEAD_BYTES = 1 << 21;
    private static final byte[] COMMIT_KEY = {(byte) 0xFF};
    private static final byte[] NOTES_KEY = {(byte) 0xFE};
    private static final int VERSION = 3;
    private static final String CURRENT = "CURRENT";
    private static final String TABLE = ".sst";

    private final Path directory;
    private final RocksOptions options = new RocksOptions();
    private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);

    private volatile @Nullable RocksDB database;
    private volatile boolean writable;

    /// What was found to be wrong with a file; it stays so for this generation.
    private volatile @Nullable String damage;

    @GuardedBy("this")
    private boolean closed;

    private RocksCellStore(Path directory) {
        this.directory = directory;
    }

    /// Loads the native library, which takes a while the first time; opening a store does it too.
    public static void loadLibrary() {
        RocksDB.loadLibrary();
    }

    /// Opens the database in a directory for reading, or makes an empty one if the directory is empty.
    public static RocksCellStore open(Path directory) throws IOException {
        loadLibrary();
        RocksCellStore store = new RocksCellStore(directory);
        try {
            if (store.isEmpty()) {
                store.openForWriting();
            } else {
                store.openForReading();
            }
            return store;
        } catch (IOException e) {
            store.close();
            throw e;
        }
    }

    /// Fails where there are tables without the file that names them: RocksDB, told to make a database where there is
    /// none, would delete them.
    private boolean isEmpty() throws IOException {
        Path current = directory.resolve(CURRENT);
        if (Files.exists(current)) {
            return false;
        }
        if (Directories.list(directory).stream()
                .anyMatch(file -> file.toString().endsWith(TABLE))) {
            throw new DamagedException(noted("the file " + current + " is gone"));
        }
        return true;
    }

    private void openForReading() throws IOException {
        try {
            database = RocksDB.openReadOnly(options.options(), directory.toString());
        } catch (RocksDBException e) {
            throw failure("cannot be opened", e);
        }
    }

    @Override
    public synchronized void openForWriting() throws IOException {
        if (closed) {
            throw new IOException(directory + " is closed");
        }
        requireUndamaged();
        if (writable) {
            return;
        }
        boolean _ = isEmpty();
        RocksDB before = database;
        try {
            database = RocksDB.open(options.options(), directory.toString());
            writable = true;
        } catch (RocksDBException e) {
            // What was open for reading may name files that the attempt has replaced.
            closeDatabase();
            throw failure("cannot be opened", e);
        }
        if (before != null) {
            before.close();
        }
    }

    private void requireUndamaged() throws DamagedException {
        String found = Files.isDirectory(directory) ? damage() : noted("the directory " + directory + " is gone");
        if (found != null) {
            throw new DamagedException(found);
        }
    }

    // Reading

    @Override
    public long replayFrom() throws IOException {
        try {
            byte[] row = opened().get(COMMIT_KEY);
            return row == null ? CellStore.NEVER_COMMITTED : decodeCommit(ByteReader.of(row));
        } catch (RocksDBException e) {
            throw failure("cannot be read", e);
        }
    }

    private long decodeCommit(ByteReader row) throws IOException {
        int version = row.u8();
        if (version != VERSION) {
            throw new IOException(directory + ": version " + version + " of the database, expected " + VERSION);
        }
        return row.i64();
    }

    @Override
    public byte[] notes() throws IOException {
        try {
            byte[] notes = opened().get(NOTES_KEY);
            return notes == null ? new byte[0] : notes;
        } catch (RocksDBException e) {
            throw failure("cannot be read", e);
        }
    }

    private RocksDB opened() throws IOException {
        RocksDB open = database;
        if (open == null) {
            throw new IOException(directory + " is closed");
        }
        return open;
    }

    @Override
    public long cellsEstimate() {
        return property("rocksdb.estimate-num-keys");
    }

    @Override
    public long bytes() {
        return property("rocksdb.total-sst-files-size");
    }

    private synchronized long property(String name) {
        try {
            RocksDB open = database;
            return open == null ? 0 : open.getLongProperty(name);
        } catch (RocksDBException _) {
            return 0;
        }
    }

    @Override
    public void load(int from, int to, Replicas replicas, CellVisitor visitor) throws IOException {
        RowReader reader = new RowReader(replicas, visitor);
        for (CounterType type : CounterType.values()) {
            try (Slice end = new Slice(prefix(type, to));
                    ReadOptions reading = new ReadOptions()
                            .setIterateUpperBound(end)
                            .setReadaheadSize(READ_AHEAD_BYTES)
                            .setFillCache(false);
                    RocksIterator rows = opened().newIterator(reading)) {
                rows.seek(prefix(type, from));
                reader.read(rows);
                rows.status();
            } catch (RocksDBException e) {
                throw failure("cannot be read", e);
            } catch (MalformedException e) {
                throw new DamagedException(directory + ": " + e.getMessage(), e);
            }
        }
    }

    private static byte[] prefix(CounterType type, int partition) {
        return new byte[] {(byte) type.code(), (byte) (partition >>> 8), (byte) partition};
    }

    // Writing

    @Override
    public Batch newBatch(Replicas replicas) {
        return new RowBatch(replicas);
    }

    @Override
    public void write(Batch batch) throws IOException {
        try (WriteBatch rows = new WriteBatch(((RowBatch) batch).serialised())) {
            opened().write(unlogged, rows);
        } catch (RocksDBException e) {
            throw writeFailure(e);
        }
    }

    @Override
    public void writeNotes(byte[] notes) throws IOException {
        try {
            opened().put(unlogged, NOTES_KEY, notes);
        } catch (RocksDBException e) {
            throw writeFailure(e);
        }
    }

    @Override
    public void commit(long replayFrom) throws IOException {
        try (FlushOptions waiting = new FlushOptions().setWaitForFlush(true).setAllowWriteStall(true)) {
            RocksDB open = opened();
            open.put(unlogged, COMMIT_KEY, encodeCommit(replayFrom));
            open.flush(waiting);
        } catch (RocksDBException e) {
            throw writeFailure(e);
        }
    }

    private static byte[] encodeCommit(long replayFrom) {
        ByteWriter row = new ByteWriter(1 + Long.BYTES);
        row.u8(VERSION);
        row.i64(replayFrom);
        return row.toByteArray();
    }

    /// After one failed write RocksDB refuses all others.
    private IOException writeFailure(RocksDBException e) {
        closeDatabase();
        return failure("cannot be written", e);
    }

    @Override
    public void throttle(boolean throttled) {
        options.throttle(throttled);
    }

    @Override
    public void copyTo(Path copy, Pause pause) throws IOException {
        RocksDB open = opened();
        try {
            open.disableFileDeletions();
            try {
                new DatabaseCopy(open, options.options(), directory, pause).make(copy);
            } finally {
                open.enableFileDeletions();
            }
        } catch (RocksDBException e) {
            throw failure("cannot be copied", e);
        }
    }

    // Damage

    /// Looks for missing and short files. Of blocks that have rotted it knows when RocksDB or a backup has read them.
    @Override
    public synchronized @Nullable String damage() {
        RocksDB open = database;
        if (damage == null && open != null && missingFile(open) != null) {
            // RocksDB may have deleted the file between listing and looking for it, so only a second list proves it.
            String missing = missingFile(open);
            damage = missing;
        }
        return damage;
    }

    private @Nullable String missingFile(RocksDB open) {
        try {
            for (LiveFileMetaData table : open.getLiveFilesMetaData()) {
                String wrong = whatIsWrongWith(table.fileName().substring(1), table.size());
                if (wrong != null) {
                    return wrong;
                }
            }
            RocksDB.LiveFiles live = open.getLiveFiles(false);
            for (String name : live.files) {
                String wrong = name.startsWith("/MANIFEST-")
                        ? whatIsWrongWith(name.substring(1), live.manifestFileSize)
                        : name.equals("/" + CURRENT) ? whatIsWrongWith(CURRENT, 1) : null;
                if (wrong != null) {
                    return wrong;
                }
            }
            return null;
        } catch (RocksDBException | IOException _) {
            // Nothing is known then.
            return null;
        }
    }

    private @Nullable String whatIsWrongWith(String name, long bytes) throws IOException {
        Path file = directory.resolve(name);
        try {
            return Files.size(file) >= bytes ? null : "the file " + file + " is shorter than it was written";
        } catch (NoSuchFileException _) {
            return "the file " + file + " is gone";
        }
    }

    /// A failure that shows damage is remembered: the next checkpoint begins a new generation.
    private IOException failure(String what, RocksDBException e) {
        IOException failure = RocksFailure.of(directory, what, e);
        if (failure instanceof DamagedException) {
            noted(String.valueOf(failure.getMessage()));
        }
        return failure;
    }

    @CanIgnoreReturnValue
    private String noted(String found) {
        damage = found;
        return found;
    }

    private synchronized void closeDatabase() {
        RocksDB open = database;
        if (open != null) {
            database = null;
            writable = false;
            open.close();
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            closeDatabase();
            unlogged.close();
            options.close();
        }
    }
}
