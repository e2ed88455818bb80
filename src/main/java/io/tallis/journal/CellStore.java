package io.tallis.journal;

import io.tallis.crdt.Counter;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.CellVisitor;
import io.tallis.keyspace.Key;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The database of checkpoints: every cell as it was when a checkpoint last saw it changed.
///
/// A row may become durable at any time after it was written, with or without the rows around it; what [#commit]
/// says becomes durable after all rows that were written before.
public interface CellStore extends AutoCloseable {
    /// Before any segment.
    long NEVER_COMMITTED = 0;

    /// The first segment of the journal that these cells do not make needless, as was committed last, or
    /// [#NEVER_COMMITTED].
    long replayFrom() throws IOException;

    /// About how many cells there are.
    long cellsEstimate();

    /// How long the files are that hold them, 0 if that cannot be told.
    long bytes();

    /// What has become of a file that the next start would not find, though it holds what was committed; null when all
    /// are there, as far as can be seen.
    @Nullable
    String lost();

    /// Shows the cells of the partitions from `from` up to `to`, which is left out. Several threads may load at
    /// once.
    void load(int from, int to, Replicas replicas, CellVisitor visitor) throws IOException;

    /// All has been read, and the journal behind it, and is whole: from now on it may be written to. Before, nothing is
    /// changed.
    void goOn() throws IOException;

    /// A batch for one thread to fill.
    Batch newBatch(Replicas replicas);

    /// Makes ready to be written to; fails if nothing could be written now, as far as can be told without writing.
    /// Returns whether the cells are there that were committed. If not, it is empty, and wants all of them again.
    boolean prepare() throws IOException;

    /// Has its own threads, if it has any, write next to nothing, or as fast as they can. Any thread may call; whoever
    /// writes may wait for them meanwhile.
    void holdBack(boolean held);

    /// Writes a batch, perhaps only to memory. After a failure the store may be used as before.
    void write(Batch batch) throws IOException;

    /// Makes everything durable that was written, and then that the journal is needed from `replayFrom` on only.
    void commit(long replayFrom) throws IOException;

    /// Makes a copy of what was committed that shares no file that changes, and reads all of it with a `pause` now and
    /// then: fails with [DamagedException] if any of it cannot be read. The directory must not exist.
    void copyTo(Path directory, Pause pause) throws IOException;

    @Override
    void close();

    /// Rows on their way to the store.
    interface Batch {
        void add(int partition, Key key, Counter counter);

        int bytes();

        /// Empties the batch, to be filled again.
        void clear();
    }

    /// Opens the store in a directory of its own, within the data directory.
    @FunctionalInterface
    interface Opener {
        /// Fails with [DamagedException] if the store is there but cannot be read.
        CellStore open(Path directory, Place data) throws IOException;
    }
}
