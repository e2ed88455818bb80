package io.tallis.journal.rocksdb;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.journal.CellStore;
import io.tallis.journal.DamagedException;
import io.tallis.journal.Pause;
import io.tallis.journal.Place;
import io.tallis.keyspace.CellVisitor;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.io.IOException;
import java.nio.file.Path;
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
/// [#commit] writes is on the disk, so are all before it. That row has a key behind those of all cells.
///
/// A database that failed to write refuses all that follows, so it is closed then and opened again when it is next
/// needed; what it had in memory only is lost, and the checkpoint that failed starts anew anyway.
///
/// It is not closed where the data directory is another's by now: to close it is to write and delete files by name.
/// Where that is this process's own, and files of the database were deleted or cannot be read as they were written, it
/// is begun anew: all that it held is in memory still. What is left is kept beside it until the next commit; a start
/// that finds no commit takes it back, with the journal that was kept for it.
///
/// It is opened for writing when all has been read and found to be whole, with the journal: that makes new files, for
/// which a full disk has no room, and deletes such as do not belong to it, which may be of one that has more.
public final class RocksCellStore implements CellStore {
    private static final byte[] COMMIT_KEY = {(byte) 0xFF};
    private static final int VERSION = 1;
    private static final int READ_AHEAD_BYTES = 1 << 21;

    private final Path directory;
    private final DatabaseFiles files;
    private final Tuning tuning = new Tuning();
    private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
    private final WriteOptions unhindered =
            new WriteOptions().setDisableWAL(true).setNoSlowdown(true);
    private @Nullable RocksDB database;
    private @Nullable RocksDB readOnly;

    /// What has become of a file that was needed, when that was found out; until the next commit.
    private @Nullable String lost;

    /// Where the last journal began that a commit of this process named, or the one that was read at the start.
    private long committed = NEVER_COMMITTED;

    private boolean leftAlone;
    private boolean closed;

    private RocksCellStore(Path directory, Place data) {
        this.directory = directory;
        files = new DatabaseFiles(directory, data);
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
            store.open();
            return store;
        } catch (IOException e) {
            store.close();
            throw e;
        }
    }

    private synchronized void open() throws IOException {
        if (files.anyIsAside()) {
            String reason = whyNotCommitted();
            if (reason != null) {
                files.putBack(reason);
            }
        }
        files.requireWholeOrNew();
        if (files.exist()) {
            readOnly = openReadOnly();
        } else {
            database();
        }
    }

    /// Why the present one is not known to have been; null if it is. Where it was and that cannot be told, the other
    /// does as well, as long as its journal is there; else the replay refuses.
    private @Nullable String whyNotCommitted() throws IOException {
        try {
            files.requireWholeOrNew();
            return files.exist() && hasCommit() ? null : "Nothing was committed to that";
        } catch (DamagedException damage) {
            return damage.getMessage();
        }
    }

    private boolean hasCommit() throws IOException {
        try (RocksDB present = openReadOnly()) {
            return present.get(COMMIT_KEY) != null;
        } catch (RocksDBException e) {
            throw failure("cannot be read", e);
        }
    }

    /// Whoever opens it for writing deletes what does not belong to it.
    private RocksDB openReadOnly() throws IOException {
        return openReadOnly(directory);
    }

    private RocksDB openReadOnly(Path one) throws IOException {
        try {
            return RocksDB.openReadOnly(tuning.options(), one.toString());
        } catch (RocksDBException e) {
            throw Failure.of(one, "cannot be opened", e, files.whereElse());
        }
    }

    @Override
    public synchronized void goOn() throws IOException {
        try {
            requireCommitted();
            database();
        } catch (Failure.NoSpaceException _) {
            // It is opened when there is room.
        }
    }

    private synchronized RocksDB readable() throws IOException {
        RocksDB open = readOnly;
        return open == null ? database() : open;
    }

    private synchronized RocksDB database() throws IOException {
        RocksDB open = database;
        if (closed) {
            throw new IOException(directory + " is closed");
        }
        if (open == null) {
            files.requireWholeOrNew();
            try {
                open = RocksDB.open(tuning.options(), directory.toString());
                database = open;
                closeReadOnly();
            } catch (RocksDBException e) {
                throw Failure.of(directory, "cannot be opened", e, files.whereElse());
            }
        }
        return open;
    }

    @Override
    public synchronized long replayFrom() throws IOException {
        committed = commitOf(readable());
        return committed;
    }

    private long commitOf(RocksDB one) throws IOException {
        try {
            byte[] commit = one.get(COMMIT_KEY);
            return commit == null ? NEVER_COMMITTED : decodeCommit(ByteReader.of(commit));
        } catch (RocksDBException e) {
            throw failure("cannot be read", e);
        }
    }

    private long decodeCommit(ByteReader commit) throws IOException {
        int version = commit.u8();
        if (version != VERSION) {
            throw new IOException(directory + ": version " + version + " of the database, expected " + VERSION);
        }
        return commit.i64();
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
            return readable().getLongProperty(name);
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
                    RocksIterator rows = readable().newIterator(options)) {
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

    @Override
    public Batch newBatch(Replicas replicas) {
        return new RowBatch(replicas);
    }

    @Override
    public synchronized boolean prepare() throws IOException {
        files.requireHeld();
        lost = lost();
        if (lost != null || leftAlone) {
            closeDatabase();
        }
        if (lost == null && isOpenAgain()) {
            return true;
        }
        closeDatabase();
        closeReadOnly();
        files.setAside();
        database();
        return false;
    }

    /// While it was closed nobody looked for its files, and a former database may be there now.
    private boolean isOpenAgain() throws IOException {
        try {
            requireCommitted();
            database();
            return true;
        } catch (DamagedException damage) {
            lost = damage.getMessage();
            return false;
        }
    }

    private void requireCommitted() throws IOException {
        RocksDB open = database;
        if (open != null) {
            requireCommitted(open);
            return;
        }
        files.requireWholeOrNew();
        try (RocksDB there = openReadOnly()) {
            requireCommitted(there);
        }
    }

    private void requireCommitted(RocksDB one) throws IOException {
        if (commitOf(one) < committed) {
            throw older();
        }
    }

    private DamagedException older() {
        return new DamagedException(directory + ": the database is another, and older, than was committed");
    }

    @Override
    public synchronized @Nullable String lost() {
        return lost == null ? look() : lost;
    }

    private @Nullable String look() {
        if (files.areHeld()) {
            String gone = files.lost(database);
            return gone == null ? refusal(database) : gone;
        }
        leaveAlone();
        return null;
    }

    /// A database that met damage while it merged tables refuses all that is written, and tells it to nobody before.
    private @Nullable String refusal(@Nullable RocksDB open) {
        try {
            if (open != null && open.getLongProperty("rocksdb.background-errors") > 0) {
                writeNothing(open);
            }
            return null;
        } catch (RocksDBException e) {
            return Failure.isCorruption(e) ? failure("is damaged", e).getMessage() : null;
        }
    }

    private void writeNothing(RocksDB open) throws RocksDBException {
        try (WriteBatch nothing = new WriteBatch()) {
            open.write(unhindered, nothing);
        }
    }

    /// RocksDB's own threads would go on by name. Without them it takes nothing more, and is opened anew when the
    /// directory is back.
    private void leaveAlone() {
        RocksDB open = database;
        if (open != null) {
            open.cancelAllBackgroundWork(false);
            leftAlone = true;
        }
    }

    @Override
    public void write(Batch batch) throws IOException {
        try (WriteBatch rows = new WriteBatch(((RowBatch) batch).serialised())) {
            database().write(unlogged, rows);
        } catch (RocksDBException e) {
            throw writeFailure(e);
        }
    }

    @Override
    public void commit(long replayFrom) throws IOException {
        ByteWriter commit = new ByteWriter(1 + Long.BYTES);
        commit.u8(VERSION);
        commit.i64(replayFrom);
        try (FlushOptions waiting = new FlushOptions().setWaitForFlush(true).setAllowWriteStall(true)) {
            database().put(unlogged, COMMIT_KEY, commit.toByteArray());
            database().flush(waiting);
        } catch (RocksDBException e) {
            throw writeFailure(e);
        }
        requireFound(replayFrom);
    }

    private synchronized void requireFound(long replayFrom) throws IOException {
        files.requireHeld();
        lost = look();
        if (lost != null) {
            throw new IOException(lost);
        }
        committed = replayFrom;
        files.deleteOthers();
    }

    /// What is wrong with a block that nobody reads is told to nobody until the next start, when it is in no memory any
    /// more. The copy has the same blocks.
    @Override
    public void copyTo(Path copy, Pause pause) throws IOException {
        RocksDB open = database();
        CopyCheck check = new CopyCheck(tuning.options(), directory, pause);
        try {
            open.disableFileDeletions();
            try {
                new DatabaseCopy(open, directory, pause).make(copy);
                check.readNames(copy);
            } finally {
                deleteAgain(open);
            }
            requireLastCommit(copy);
            check.readTables(copy);
        } catch (CopyCheck.OriginalException damage) {
            throw noted(failure("cannot be copied", damage.reason()), damage.reason());
        } catch (RocksDBException e) {
            throw failure("cannot be copied", e);
        }
    }

    /// RocksDB looks then, by name, for files that it does not know.
    private synchronized void deleteAgain(RocksDB open) throws RocksDBException {
        if (files.areHeld()) {
            open.enableFileDeletions();
        } else {
            leaveAlone();
        }
    }

    /// The copy may lie on a disk that hangs: nobody else is to wait for that.
    private void requireLastCommit(Path copy) throws IOException {
        long copied;
        try (RocksDB whole = openReadOnly(copy)) {
            copied = commitOf(whole);
        }
        requireLast(copied);
    }

    /// What a whole copy lacks the next start would not find either.
    private synchronized void requireLast(long commit) throws IOException {
        if (commit < committed) {
            DamagedException damage = older();
            if (files.areHeld()) {
                lost = damage.getMessage();
            }
            throw damage;
        }
    }

    private synchronized IOException writeFailure(RocksDBException e) {
        closeDatabase();
        return noted(failure("cannot be written", e), e);
    }

    /// Where the files are this process's, a block that is not what was written is a loss as that of a file is.
    private synchronized IOException noted(IOException failure, RocksDBException cause) {
        if (Failure.isCorruption(cause) && files.areHeld()) {
            lost = failure.getMessage();
        }
        return failure;
    }

    private IOException failure(String what, RocksDBException e) {
        IOException failure = Failure.of(directory, what, e);
        return failure instanceof Failure.NoSpaceException && files.anyIsAside()
                ? new Failure.NoSpaceException(
                        failure.getMessage() + "; " + files.aside() + " may be deleted while this process lives", e)
                : failure;
    }

    private synchronized void closeDatabase() {
        if (database != null) {
            // Without it, it would be damaged when it is opened again.
            lost = lost();
            if (!files.areHeld()) {
                // Until it is closed nobody in this process can open it, so that is done when the directory is back.
                leaveAlone();
                return;
            }
            database.close();
            database = null;
            leftAlone = false;
        }
    }

    private synchronized void closeReadOnly() {
        if (readOnly != null) {
            readOnly.close();
            readOnly = null;
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        closeDatabase();
        closeReadOnly();
        unlogged.close();
        unhindered.close();
        tuning.close();
    }
}
