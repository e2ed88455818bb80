package io.tallis.server;

import io.tallis.journal.Storage;
import io.tallis.journal.disk.Place;
import io.tallis.runtime.Directories;
import io.tallis.runtime.LongTasks;
import io.tallis.runtime.WholeFile;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/// The file `joining` of a data directory: present while the data may be incomplete, from the first start in a cluster
/// until the node had everything that the others had, and again while it has far less than another.
///
/// It is deleted when everything that the journal was handed by then is on the disk: otherwise a loss of power could
/// take
/// back some of that, and leave incomplete data without the file. When the disk does not say whether the file exists,
/// it
/// counts as present.
final class JoiningFile implements FirstJoin {
    private static final Logger LOG = System.getLogger(JoiningFile.class.getName());

    private final Path file;
    private final Place place;
    private final Settling journal;
    private final LongTasks tasks = new LongTasks();

    /// Whether a failure to write or delete the file was logged, and none has succeeded since.
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
        return !Files.notExists(file);
    }

    @Override
    public void begins() {
        try {
            create();
        } catch (IOException failure) {
            throw new StartException("cannot write " + file + ": " + failure.getMessage());
        }
    }

    @Override
    public void begins(Runnable done, Runnable failed) {
        add(this::create, "write", "gets no more from others before it is there", done, failed);
    }

    @Override
    public void ends(Runnable done, Runnable failed) {
        add(this::delete, "delete", "the next start waits for others as long as it is there", done, failed);
    }

    private void create() throws IOException {
        place.requireHeld();
        WholeFile.replace(file, ByteBuffer.allocate(0));
    }

    private void delete() throws IOException {
        if (isUnfinished()) {
            journal.settle();
            place.requireHeld();
            if (Files.deleteIfExists(file)) {
                Directories.sync(file.toAbsolutePath().resolveSibling(""));
            }
        }
    }

    /// At most one waits, since the caller requests no other before it has the outcome of the last.
    private void add(Change change, String verb, String price, Runnable done, Runnable failed) {
        boolean _ = tasks.add("joined", () -> {
            try {
                change.make();
                told = false;
                done.run();
            } catch (IOException failure) {
                if (!told) {
                    told = true;
                    LOG.log(Level.WARNING, "cannot " + verb + " " + file + "; " + price + ": " + failure.getMessage());
                }
                failed.run();
            }
        });
    }

    /// Something done to the file.
    @FunctionalInterface
    private interface Change {
        void make() throws IOException;
    }
}
