package io.tallis.journal.rocksdb;

import io.tallis.journal.CellStore;
import io.tallis.journal.DamagedException;
import io.tallis.journal.Place;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// When the database is open, and whether it is the one that was committed last.
///
/// ```
///     to read ──all is read, and whole──▶ to write ◀──────▶ closed, since it failed to write
///                                            │                  │
///                                       its files, or what is in them, are lost
///                                            ▼                  ▼
///                                       put aside, and an empty one opened to write
/// ```
///
/// It is opened for writing when all has been read and found to be whole, with the journal: that makes new files, for
/// which a full disk has no room, and deletes such as do not belong to it, which may be of one that has more.
///
/// One that failed to write refuses all that follows, so it is closed then and opened again when it is next needed;
/// what it had in memory only is lost, and the checkpoint that failed starts anew anyway.
///
/// It is not closed where the data directory is another's by now: to close it is to write and delete files by name.
/// Where that is this process's own, and files of the database were deleted or cannot be read as they were written, it
/// is begun anew: all that it held is in memory still. What is left is kept beside it until the next commit; a start
/// that finds no commit takes it back, with the journal that was kept for it.
///
/// Any thread may call; nobody waits here for another disk than the database's own.
final class Database implements AutoCloseable {
    private final Path directory;
    private final DatabaseFiles files;
    private final Options options;
    private final WriteOptions unhindered =
            new WriteOptions().setDisableWAL(true).setNoSlowdown(true);
    private @Nullable RocksDB toWrite;
    private @Nullable RocksDB toRead;

    /// What has become of a file that was needed, when that was found out; until the next commit.
    private @Nullable String lost;

    /// Where the last journal began that a commit of this process named, or the one that was read at the start.
    private long committed = CellStore.NEVER_COMMITTED;

    private boolean leftAlone;
    private boolean closed;

    Database(Path directory, Place data, Options options) {
        this.directory = directory;
        this.options = options;
        files = new DatabaseFiles(directory, data);
    }

    // Open

    /// Opens it for reading, or makes an empty one if there is none.
    synchronized void open() throws IOException {
        if (files.anyIsAside()) {
            String reason = whyNotCommitted();
            if (reason != null) {
                files.putBack(reason);
            }
        }
        files.requireWholeOrNew();
        if (files.exist()) {
            toRead = openReadOnly();
        } else {
            toWrite();
        }
    }

    /// Why the present one is not known to have been; null if it is. Where it was and that cannot be told, the other
    /// does as well, as long as its journal is there; else the replay refuses.
    private @Nullable String whyNotCommitted() throws IOException {
        try {
            files.requireWholeOrNew();
            return files.exist() && lastCommit() != CellStore.NEVER_COMMITTED ? null : "Nothing was committed to that";
        } catch (DamagedException damage) {
            return damage.getMessage();
        }
    }

    /// As the next start would find it.
    private long lastCommit() throws IOException {
        try (RocksDB there = openReadOnly()) {
            return commitIn(there);
        }
    }

    private long commitIn(RocksDB open) throws IOException {
        try {
            return CommitRow.in(open, directory);
        } catch (RocksDBException e) {
            throw failure("cannot be read", e);
        }
    }

    /// Whoever opens it for writing deletes what does not belong to it.
    private RocksDB openReadOnly() throws IOException {
        try {
            return RocksDB.openReadOnly(options, directory.toString());
        } catch (RocksDBException e) {
            throw Failure.of(directory, "cannot be opened", e, files.whereElse());
        }
    }

    /// From where the journal is needed beside the one that was opened.
    synchronized long replayFrom() throws IOException {
        committed = commitIn(toRead());
        return committed;
    }

    /// All has been read and is whole.
    synchronized void goOn() throws IOException {
        try {
            requireCommitted();
            toWrite();
        } catch (Failure.NoSpaceException _) {
            // It is opened when there is room.
        }
    }

    synchronized RocksDB toRead() throws IOException {
        RocksDB open = toRead;
        return open == null ? toWrite() : open;
    }

    synchronized RocksDB toWrite() throws IOException {
        RocksDB open = toWrite;
        if (closed) {
            throw new IOException(directory + " is closed");
        }
        if (open == null) {
            files.requireWholeOrNew();
            try {
                open = RocksDB.open(options, directory.toString());
                toWrite = open;
                closeToRead();
            } catch (RocksDBException e) {
                throw Failure.of(directory, "cannot be opened", e, files.whereElse());
            }
        }
        return open;
    }

    // Before a checkpoint, and behind it

    /// Returns whether what was committed is there; else it has begun an empty one.
    synchronized boolean prepare() throws IOException {
        files.requireHeld();
        lost = lost();
        if (lost != null || leftAlone) {
            closeToWrite();
        }
        if (lost == null && isOpenAgain()) {
            return true;
        }
        closeToWrite();
        closeToRead();
        files.setAside();
        toWrite();
        return false;
    }

    /// While it was closed nobody looked for its files, and a former database may be there now.
    private boolean isOpenAgain() throws IOException {
        try {
            if (toWrite == null) {
                files.requireWholeOrNew();
            }
            requireCommitted();
            deleteUnknown(toWrite());
            return true;
        } catch (DamagedException damage) {
            files.requireHeld();
            lost = damage.getMessage();
            return false;
        }
    }

    /// A table that somebody has put back may have a name that the next is to have: RocksDB would write over it, and so
    /// into the backups that share it.
    private void deleteUnknown(RocksDB open) throws IOException {
        try {
            open.disableFileDeletions();
            deleteAgain(open);
        } catch (RocksDBException e) {
            throw failure("cannot be cleared", e);
        }
    }

    private void requireCommitted() throws IOException {
        RocksDB open = toWrite;
        requireNotOlder(open == null ? lastCommit() : commitIn(open), committed);
    }

    private void requireNotOlder(long found, long commit) throws DamagedException {
        if (found < commit) {
            throw new DamagedException(directory + ": the database is another, and older, than was committed");
        }
    }

    /// It has been written so; fails if the next start would not find it.
    void committed(long replayFrom) throws IOException {
        String missing = whatAStartMisses(replayFrom);
        synchronized (this) {
            files.requireHeld();
            lost = missing == null ? look() : missing;
            if (lost != null) {
                throw new IOException(lost);
            }
            committed = replayFrom;
            files.deleteOthers();
        }
    }

    /// Somebody may have put other files in the place of those that RocksDB has open, even such as are as long. Looks
    /// again, since RocksDB may write to them just then; meanwhile it deletes none.
    private @Nullable String whatAStartMisses(long replayFrom) throws IOException {
        RocksDB open = toWrite();
        try {
            open.disableFileDeletions();
            try {
                return whyNotFound(replayFrom) == null ? null : whyNotFound(replayFrom);
            } finally {
                deleteAgain(open);
            }
        } catch (RocksDBException e) {
            throw failure("cannot be looked at", e);
        }
    }

    private @Nullable String whyNotFound(long commit) throws IOException {
        try {
            requireNotOlder(lastCommit(), commit);
            return null;
        } catch (DamagedException damage) {
            return damage.getMessage();
        }
    }

    // Around a copy

    /// RocksDB looks then, by name, for files that it does not know.
    synchronized void deleteAgain(RocksDB open) throws RocksDBException {
        if (files.areHeld()) {
            open.enableFileDeletions();
        } else {
            leaveAlone();
        }
    }

    /// What a whole copy lacks the next start would not find either.
    synchronized void requireLast(long commit) throws IOException {
        try {
            requireNotOlder(commit, committed);
        } catch (DamagedException damage) {
            if (files.areHeld()) {
                lost = damage.getMessage();
            }
            throw damage;
        }
    }

    // What is lost

    /// What has become of a file that the next start would not find, or would not find as it was written.
    synchronized @Nullable String lost() {
        return lost == null ? look() : lost;
    }

    private @Nullable String look() {
        if (files.areHeld()) {
            String gone = files.lost(toWrite);
            return gone == null ? refusal(toWrite) : gone;
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

    /// What to tell of a write that failed; all later ones would too, so it is closed.
    synchronized IOException writeFailure(RocksDBException e) {
        closeToWrite();
        return noted("cannot be written", e);
    }

    /// Where the files are this process's, a block that is not what was written is a loss as that of a file is.
    synchronized IOException noted(String what, RocksDBException e) {
        IOException failure = failure(what, e);
        if (Failure.isCorruption(e) && files.areHeld()) {
            lost = failure.getMessage();
        }
        return failure;
    }

    IOException failure(String what, RocksDBException e) {
        IOException failure = Failure.of(directory, what, e);
        return failure instanceof Failure.NoSpaceException && files.anyIsAside()
                ? new Failure.NoSpaceException(
                        failure.getMessage() + "; " + files.aside() + " may be deleted while this process lives", e)
                : failure;
    }

    // Closed

    /// RocksDB's own threads would go on by name. Without them it takes nothing more, and is opened anew when the
    /// directory is back.
    private void leaveAlone() {
        RocksDB open = toWrite;
        if (open != null) {
            open.cancelAllBackgroundWork(false);
            leftAlone = true;
        }
    }

    private synchronized void closeToWrite() {
        if (toWrite != null) {
            // Without it, it would be damaged when it is opened again.
            lost = lost();
            if (!files.areHeld()) {
                // Until it is closed nobody in this process can open it, so that is done when the directory is back.
                leaveAlone();
                return;
            }
            toWrite.close();
            toWrite = null;
            leftAlone = false;
        }
    }

    private synchronized void closeToRead() {
        if (toRead != null) {
            toRead.close();
            toRead = null;
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        closeToWrite();
        closeToRead();
        unhindered.close();
    }
}
