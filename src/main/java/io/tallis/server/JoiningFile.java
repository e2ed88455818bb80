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

/// The file `joining` of a data directory, which is there from the first start in a cluster until the node was ready
/// once. What the directory has meanwhile is whatever the node got of the others' counters, which nobody may take for
/// all of them.
///
/// A file that cannot be made or deleted is told of, and no more: counting does not depend on it.
final class JoiningFile implements FirstJoin {
    private static final Logger LOG = System.getLogger(JoiningFile.class.getName());

    private final Path file;
    private final Place place;
    private final LongTasks tasks = new LongTasks();

    JoiningFile(Path directory, Place place) {
        file = directory.resolve(Storage.JOINING_FILE);
        this.place = place;
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
    public void ends() {
        boolean _ = tasks.add("joined", this::delete);
    }

    private void delete() {
        try {
            place.requireHeld();
            if (Files.deleteIfExists(file)) {
                Directories.sync(file.toAbsolutePath().resolveSibling(""));
            }
        } catch (IOException failure) {
            LOG.log(Level.WARNING, "cannot delete " + file + ": " + failure.getMessage());
        }
    }
}
