package io.tallis.journal.rocksdb;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.journal.CellStore;
import io.tallis.journal.DamagedException;
import io.tallis.journal.Pause;
import io.tallis.journal.Place;
import io.tallis.keyspace.CellVisitor;
import io.tallis.runtime.Directories;
import io.tallis.wire.MalformedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.FlushOptions;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// The cells in a RocksDB database without a log of its own.
///
/// All rows are in one column family, where memory is flushed in the order it was written in: when the row that
/// [#commit] writes is on the disk, so are all before it.
public final class RocksCellStore implements CellStore {
    private static final int READ_AHEAD_BYTES = 1 << 21;

    private final Path directory;
    private final Tuning tuning = new Tuning();
    private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
    private final Database database;

    private RocksCellStore(Path directory, Place data) {
        this.directory = directory;
        database = new Database(directory, data, tuning.options());
    }

    /// Loads the native library, which takes a while the first time; opening a store does it too.
    public static void loadLibrary() {
        RocksDB.loadLibrary();
    }

    /// Opens the database, or makes an empty one if there is none.
    public static RocksCellStore open(Path directory, Place data) throws IOException {
        loadLibrary();
        RocksCellStore store = new RocksCellStore(directory, data);
        try {
            store.database.open();
            return store;
        } catch (IOException e) {
            store.close();
            throw e;
        }
    }

    @Override
    public void goOn() throws IOException {
        database.goOn();
    }

    @Override
    public long replayFrom() throws IOException {
        return database.replayFrom();
    }

    @Override
    public long cellsEstimate() {
        return property("rocksdb.estimate-num-keys");
    }

    @Override
    public long bytes() {
        return property("rocksdb.total-sst-files-size");
    }

    private long property(String name) {
        try {
            return database.toRead().getLongProperty(name);
        } catch (RocksDBException | IOException _) {
            return 0;
        }
    }

    @Override
    public void load(int from, int to, Replicas replicas, CellVisitor visitor) throws IOException {
        RowReader reader = new RowReader(replicas, visitor);
        for (CounterType type : CounterType.values()) {
            try (Slice end = new Slice(prefix(type, to));
                    ReadOptions options = new ReadOptions()
                            .setIterateUpperBound(end)
                            .setReadaheadSize(READ_AHEAD_BYTES)
                            .setFillCache(false);
                    RocksIterator rows = database.toRead().newIterator(options)) {
                rows.seek(prefix(type, from));
                reader.read(rows);
                rows.status();
            } catch (RocksDBException e) {
                throw database.failure("cannot be read", e);
            } catch (MalformedException e) {
                throw new DamagedException(directory + ": " + e.getMessage(), e);
            }
        }
    }

    private static byte[] prefix(CounterType type, int partition) {
        return new byte[] {(byte) type.code(), (byte) (partition >>> 8), (byte) partition};
    }

    @Override
    public Batch newBatch(Replicas replicas) {
        return new RowBatch(replicas);
    }

    @Override
    public boolean prepare() throws IOException {
        return database.prepare();
    }

    @Override
    public @Nullable String lost() {
        return database.lost();
    }

    @Override
    public void holdBack(boolean held) {
        tuning.holdBack(held);
    }

    @Override
    public void write(Batch batch) throws IOException {
        try (WriteBatch rows = new WriteBatch(((RowBatch) batch).serialised())) {
            database.toWrite().write(unlogged, rows);
        } catch (RocksDBException e) {
            throw database.writeFailure(e);
        }
    }

    @Override
    public void commit(long replayFrom) throws IOException {
        try (FlushOptions waiting = new FlushOptions().setWaitForFlush(true).setAllowWriteStall(true)) {
            RocksDB open = database.toWrite();
            open.put(unlogged, CommitRow.key(), CommitRow.value(replayFrom));
            open.flush(waiting);
        } catch (RocksDBException e) {
            throw database.writeFailure(e);
        }
        database.committed(replayFrom);
    }

    /// What is wrong with a block that nobody reads is told to nobody until the next start, when it is in no memory any
    /// more. The copy has the same blocks.
    @Override
    public void copyTo(Path copy, Pause pause) throws IOException {
        RocksDB open = database.toWrite();
        CopyCheck check = new CopyCheck(tuning.options(), directory, pause);
        try {
            open.disableFileDeletions();
            List<Path> files;
            try {
                new DatabaseCopy(open, directory, pause).make(copy);
                files = Directories.list(copy);
                database.requireLast(check.readCommit(copy));
            } finally {
                database.deleteAgain(open);
            }
            check.readTables(copy);
            if (!Directories.list(copy).containsAll(files)) {
                throw new IOException("somebody has deleted files of " + copy);
            }
        } catch (CopyCheck.OriginalException damage) {
            throw database.noted("cannot be copied", damage.reason());
        } catch (RocksDBException e) {
            throw database.failure("cannot be copied", e);
        }
    }

    @Override
    public void close() {
        database.close();
        unlogged.close();
        tuning.close();
    }
}
