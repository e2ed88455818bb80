package io.tallis.server;

import io.tallis.cluster.records.Registry;
import io.tallis.journal.Storage;
import io.tallis.journal.disk.Place;
import io.tallis.runtime.LongTasks;
import io.tallis.runtime.TimeLimit;
import io.tallis.runtime.WholeFile;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// The file `nodes` of a data directory, which keeps what is known of nodes over the lives of this one.
///
/// ```
/// CRC32C of what follows (4) | the registry
/// ```
///
/// It has all of one registry or all of another, a crash or not. Written on a thread of its own, only the newest of
/// what waits. It is for people: a file that cannot be read is passed over, one that cannot be written is told of once
/// and written the next time that something has changed.
final class NodesFile implements Registry.Store, AutoCloseable {
    private static final Logger LOG = System.getLogger(NodesFile.class.getName());
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Path file;
    private final Place place;
    private final LongTasks tasks = new LongTasks();
    private final AtomicReference<byte @Nullable []> waiting = new AtomicReference<>();
    private volatile boolean closed;
    private boolean failing;

    NodesFile(Path directory, Place place) {
        file = directory.resolve(Storage.NODES_FILE);
        this.place = place;
    }

    @Override
    public byte @Nullable [] load() {
        try {
            byte[] bytes = Files.readAllBytes(file);
            byte[] registry = Arrays.copyOfRange(bytes, Math.min(Integer.BYTES, bytes.length), bytes.length);
            if (ByteReader.of(bytes).i32() == checksum(registry)) {
                return registry;
            }
            LOG.log(Level.WARNING, file + " is damaged: the names of former sessions are lost until peers tell them");
        } catch (NoSuchFileException _) {
            // The directory is new, or older than this file.
        } catch (MalformedException tooShort) {
            LOG.log(Level.WARNING, file + " is damaged: " + tooShort.getMessage());
        } catch (IOException unreadable) {
            LOG.log(Level.WARNING, "cannot read " + file + ": " + unreadable);
        }
        return null;
    }

    private static int checksum(byte[] bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes);
        return (int) sum.getValue();
    }

    @Override
    public void save(byte[] bytes) {
        if (waiting.getAndSet(bytes) == null) {
            tasks.add("nodes", this::write);
        }
    }

    private synchronized void write() {
        byte[] bytes = waiting.getAndSet(null);
        if (bytes == null || closed) {
            return;
        }
        try {
            ByteWriter out = new ByteWriter(Integer.BYTES + bytes.length);
            out.i32(checksum(bytes));
            out.bytes(bytes, 0, bytes.length);
            place.requireHeld();
            WholeFile.replace(file, ByteBuffer.wrap(out.array(), 0, out.position()));
            failing = false;
        } catch (IOException failure) {
            if (!failing) {
                LOG.log(Level.WARNING, "cannot write " + file + ": " + failure.getMessage());
            }
            failing = true;
        }
    }

    /// Writes no more, and waits a little for what is being written.
    @Override
    public void close() {
        closed = true;
        TimeLimit.isMetBy(this::awaitWriter, "nodes-closing", PATIENCE);
    }

    private synchronized void awaitWriter() {
        // Having the lock is all: nobody writes then, and closed is seen by whoever would.
        waiting.set(null);
    }
}
