package io.tallis.server;

import io.tallis.journal.Place;
import io.tallis.journal.Storage;
import io.tallis.runtime.Directories;
import io.tallis.runtime.LongTasks;
import io.tallis.runtime.WholeFile;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/// The file `joining` of a data directory, which is there from the first start in a cluster until the node had all
/// that the others had. What the directory has meanwhile is whatever the node got of the others' counters, which
/// nobody may take for all of them.
///
/// It is deleted when all that the journal was handed by then is on the disk: else a loss of power could take back
/// some of that, and leave a part without the file. One that cannot be made is told of, and no more: counting does not
/// depend on it.
final class JoiningFile implements FirstJoin {
    private static final Logger LOG = System.getLogger(JoiningFile.class.getName());

    private final Path file;
    private final Place place;
    private final Settling journal;
    private final LongTasks tasks = new LongTasks();
    private volatile boolean told;

    JoiningFile(Path directory, Place place, Settling journal) {
        file = directory.resolve(Storage.JOINING_FILE);
        this.place = place;
        this.journal = journal;
    }

    /// Returns when all that was handed to a journal is on the disk.
    @FunctionalInterface
    interface Settling {
        void settle() throws IOException;
    }

    @Override
    public boolean isUnfinished() {
        return Files.exists(file);
    }

    @Override
    public void begins() {
        try {
            place.requireHeld();
            WholeFile.replace(file, ByteBuffer.allocate(0));
        } catch (IOException failure) {
            LOG.log(Level.WARNING, "cannot write " + file + ": " + failure.getMessage());
        }
    }

    @Override
    public void ends(Runnable done, Runnable failed) {
        if (isUnfinished()) {
            boolean _ = tasks.add("joined", () -> delete(done, failed));
        } else {
            done.run();
        }
    }

    private void delete(Runnable done, Runnable failed) {
        try {
            journal.settle();
            place.requireHeld();
            if (Files.deleteIfExists(file)) {
                Directories.sync(file.toAbsolutePath().resolveSibling(""));
            }
            done.run();
        } catch (IOException failure) {
            if (!told) {
                told = true;
                LOG.log(
                        Level.WARNING,
                        "cannot delete " + file + ", trying again; as long as it is there the next start waits for"
                                + " others: " + failure.getMessage());
            }
            failed.run();
        }
    }
}
