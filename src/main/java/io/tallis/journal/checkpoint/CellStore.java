package io.tallis.journal.checkpoint;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.journal.disk.Pause;
import io.tallis.keyspace.CellVisitor;
import io.tallis.keyspace.Key;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A database of cells, one generation of [Generations]: every cell as it was when a checkpoint last saw it changed.
///
/// A row may become durable at any time after it was written, with or without the rows around it; what [#commit] says
/// becomes durable after all rows that were written before.
public interface CellStore extends AutoCloseable {
    /// Before any segment.
    long NEVER_COMMITTED = 0;

    /// The first segment of the journal that is needed beside these cells, as was committed last, or
    /// [#NEVER_COMMITTED].
    long replayFrom() throws IOException;

    /// About how many cells there are.
    long cellsEstimate();

    /// How long the files are that hold them, 0 if that is unknown.
    long bytes();

    /// Shows the cells of the partitions from `from` up to `to`, which is left out. Several threads may load at once.
    void load(int from, int to, Replicas replicas, CellVisitor visitor) throws IOException;

    /// What is wrong with a file that the next start needs; null if nothing is known to be. Any thread may ask.
    @Nullable
    String damage();

    /// Makes ready for writes, after the start and after a write that failed. Fails with [DamagedException] where files
    /// are missing or damaged.
    void openForWriting() throws IOException;

    /// A batch for one thread to fill.
    Batch newBatch(Replicas replicas);

    /// Writes a batch, perhaps only to memory. After a failure [#openForWriting] is called before the next.
    void write(Batch batch) throws IOException;

    /// The notes of [io.tallis.keyspace.Folds] that were committed last; empty if none were.
    byte[] notes() throws IOException;

    /// Replaces the notes with the next commit, or earlier.
    void writeNotes(byte[] notes) throws IOException;

    /// Makes everything durable that was written, and then that the journal is needed from `replayFrom` on only.
    void commit(long replayFrom) throws IOException;

    /// Slows the store's own threads, if it has any, to next to nothing, or frees them. Any thread may call.
    void throttle(boolean throttled);

    /// Makes a copy of what was committed that shares no file that changes, and reads all of it, with a `pause` after
    /// each step. Fails with [DamagedException] if any of it cannot be read. The directory must not exist.
    void copyTo(Path directory, Pause pause) throws IOException;

    @Override
    void close();

    /// Rows on their way to the store.
    interface Batch {
        void add(int partition, Key key, Cell cell);

        /// Takes out a cell, which may not be there.
        void delete(int partition, CounterType type, Key key);

        int bytes();

        /// Empties the batch, to be filled again.
        void clear();
    }

    /// Opens the store in a directory that it has for itself.
    @FunctionalInterface
    interface Opener {
        /// Makes an empty store in an empty directory. Fails with [DamagedException] if there is a store that cannot be
        /// read.
        CellStore open(Path directory) throws IOException;
    }
}
