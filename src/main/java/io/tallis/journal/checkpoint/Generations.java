package io.tallis.journal.checkpoint;

import io.tallis.crdt.Replicas;
import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Failures;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The database of a data directory, and its replacement when it is damaged: one complete *generation* is in use, and a
/// checkpoint can write a newer one that takes its place as a whole.
///
/// ```
/// cells-7/    a generation: the database in a directory of its own
/// current     a file with the name of the generation in use
/// ```
///
/// A damaged generation is not mended. Memory has every cell, so a checkpoint writes all of them into a new generation:
///
/// ```
///     1  make cells-8                                    no start looks at it yet
///     2  write all cells, commit "replay from segment K"   from here on it is complete
///     3  write `current` anew: file, sync, rename, sync of the directory
///     4  delete cells-7
///     5  only now segments before K are released
/// ```
///
/// Why no crash loses anything: until 3 is durable `current` names the old generation, and until 5 the journal has all
/// that was recorded since the old one's commit. Any generation with a commit, together with the journal from the
/// segment K of that commit on without a gap, is complete: by the argument of [Checkpointer] for a commit over the same
/// generation, and since a new one begins with all cells marked. So a start that finds the generation in `current`
/// damaged may take any other committed one, if its journal is there. That covers a crash between 2 and 3.
///
/// A failure (a full disk, which has no room for a second database) deletes the new generation and leaves the old one
/// and `current` alone; the checkpoint is tried again.
///
/// The checkpoint's thread writes; any thread may ask for [#damage].
public final class Generations implements AutoCloseable {
    private final Files files;

    private volatile CellStore store;
    private volatile long number;
    private @Nullable CellStore next;
    private long nextNumber;

    /// The directories of all generations, and the file that names the one in use.
    public interface Files {
        /// The number of the generation in use; 0 when that is not known.
        long current() throws IOException;

        /// Makes a generation the one in use. When it returns that survives a crash; a crash before leaves this one or
        /// the former.
        public void use(long number) throws IOException;

        /// The numbers of all generations that there are, the newest first.
        List<Long> numbers() throws IOException;

        /// Makes an empty generation, in place of a directory of that name, to which nothing refers.
        public CellStore create(long number) throws IOException;

        /// Opens a generation for reading. Fails with [DamagedException] if it is not there or cannot be read.
        public CellStore open(long number) throws IOException;

        void delete(long number) throws IOException;

        /// What a generation is called, for people.
        String describe(long number);
    }

    private Generations(Files files, long number, CellStore store) {
        this.files = files;
        this.number = number;
        this.store = store;
    }

    /// Opens a generation for reading.
    public static Generations open(Files files, long number) throws IOException {
        return new Generations(files, number, files.open(number));
    }

    /// Makes an empty generation that has never been committed to.
    public static Generations create(Files files) throws IOException {
        long newest = files.numbers().stream().findFirst().orElse(0L);
        long number = Math.max(newest, files.current()) + 1;
        return new Generations(files, number, create(files, number));
    }

    /// The cells as of the last commit.
    public CellStore store() {
        return store;
    }

    public long number() {
        return number;
    }

    /// Has the next start take this generation, and deletes all others.
    public void use() throws IOException {
        if (files.current() != number) {
            files.use(number);
        }
        deleteOthers();
    }

    private void deleteOthers() {
        try {
            for (long other : files.numbers()) {
                if (other != number) {
                    files.delete(other);
                }
            }
        } catch (IOException e) {
            Failures.LOG.log(Level.WARNING, "cannot delete a former generation: " + Failures.reason(e));
        }
    }

    /// What is wrong with a file of the generation in use; null if nothing is known to be.
    @Nullable
    public String damage() {
        return store.damage();
    }

    public void throttle(boolean throttled) {
        store.throttle(throttled);
    }

    // For the checkpoint

    CellStore.Batch newBatch(Replicas replicas) {
        return store.newBatch(replicas);
    }

    long bytes() {
        return store.bytes();
    }

    /// Makes ready for the rows of a checkpoint. Returns false if they go into a new generation, which needs all cells.
    boolean prepare() throws IOException {
        abandonNext();
        try {
            store.openForWriting();
            return true;
        } catch (DamagedException damage) {
            // Not simply the next number: a switch that was reported as failed may have been made all the same.
            nextNumber = Math.max(number, files.current()) + 1;
            Failures.LOG.log(
                    Level.WARNING,
                    "the database is damaged and is written anew from memory, into " + files.describe(nextNumber) + ": "
                            + Failures.reason(damage));
            next = create(files, nextNumber);
            return false;
        }
    }

    private static CellStore create(Files files, long number) throws IOException {
        try {
            return files.create(number);
        } catch (IOException e) {
            deleteUnfinished(files, number);
            throw e;
        }
    }

    private static void deleteUnfinished(Files files, long number) {
        try {
            if (files.numbers().contains(number) && files.current() != number) {
                files.delete(number);
            }
        } catch (IOException e) {
            Failures.LOG.log(Level.WARNING, "cannot delete an unfinished generation: " + Failures.reason(e));
        }
    }

    private CellStore target() {
        CellStore begun = next;
        return begun == null ? store : begun;
    }

    void write(CellStore.Batch batch) throws IOException {
        target().write(batch);
    }

    void writeNotes(byte[] notes) throws IOException {
        target().writeNotes(notes);
    }

    /// Makes everything durable that was written, and then that the journal is needed from `replayFrom` on only.
    void commit(long replayFrom) throws IOException {
        target().commit(replayFrom);
        CellStore complete = next;
        if (complete != null) {
            // If this fails, either may be in use after a crash. Both are complete: no segment is released yet.
            files.use(nextNumber);
            CellStore former = store;
            store = complete;
            number = nextNumber;
            next = null;
            former.close();
            deleteOthers();
        }
    }

    /// Gives up a new generation whose checkpoint failed, for the room that it takes.
    void abandonNext() {
        CellStore begun = next;
        if (begun == null) {
            return;
        }
        next = null;
        begun.close();
        deleteUnfinished(files, nextNumber);
    }

    @Override
    public void close() {
        abandonNext();
        store.close();
    }
}
