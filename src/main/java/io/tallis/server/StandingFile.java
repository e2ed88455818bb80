package io.tallis.server;

import io.tallis.cluster.join.StandingStore;
import io.tallis.cluster.peer.Standing;
import io.tallis.journal.Storage;
import io.tallis.journal.disk.Place;
import io.tallis.runtime.LongTasks;
import io.tallis.runtime.WholeFile;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// The file `cluster` of a data directory, which holds the node's [Standing] as one line:
///
///     0000019c4f1a2b3c9d8e7f6a5b4c3d2e complete
///
/// A directory that was never part of a cluster has none. Callbacks run on a thread of this class.
final class StandingFile implements StandingStore {
    private static final Logger LOG = System.getLogger(StandingFile.class.getName());

    private final Path file;
    private final Place place;
    private final Sync others;
    private final LongTasks tasks = new LongTasks();

    /// Whether the last attempt failed and was logged.
    private volatile boolean failing;

    StandingFile(Path directory, Place place, Sync others) {
        file = directory.resolve(Storage.CLUSTER_FILE);
        this.place = place;
        this.others = others;
    }

    /// Returns when everything that was handed to the journal, and the known nodes, are on disk.
    @FunctionalInterface
    interface Sync {
        void makeDurable() throws IOException;
    }

    /// Throws [StartException] when the file cannot be read or is malformed: the directory may belong to a cluster, and
    /// must not be treated as one that does not.
    Standing read() {
        try {
            return Standing.parse(Files.readString(file));
        } catch (NoSuchFileException _) {
            return Standing.NONE;
        } catch (IOException | IllegalArgumentException unreadable) {
            throw new StartException("cannot read " + file + " (" + unreadable.getMessage()
                    + "). It records whether this directory has all counters of its cluster. If other nodes have all of"
                    + " them, start this node with an empty directory");
        }
    }

    @Override
    public void save(Standing standing, Runnable done, Runnable failed) {
        boolean _ = tasks.add("standing", () -> {
            try {
                if (standing.complete()) {
                    others.makeDurable();
                }
                place.requireHeld();
                WholeFile.replace(file, ByteBuffer.wrap(standing.toText().getBytes(StandardCharsets.US_ASCII)));
                failing = false;
                done.run();
            } catch (IOException failure) {
                if (!failing) {
                    failing = true;
                    LOG.log(
                            Level.WARNING,
                            "Cannot write " + file
                                    + "; retrying every 5 s. A start before that waits for other nodes. Cause: "
                                    + failure.getMessage());
                }
                failed.run();
            }
        });
    }
}
