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

/// The file `nodes` of a data directory, which has the registry of known nodes.
///
/// ```
/// CRC32C of what follows (4) | the registry
/// ```
///
/// The file is replaced by rename, so a crash leaves the old registry or the new one. It is written on a thread of its
/// own; of several versions that wait, only the newest is written. A failed write is logged once, and repeated at the
/// next change or by [#flush].
///
/// Most of it serves people only: a file that cannot be read is replaced, and its node waits `cluster-alone-timeout`
/// for others. But a complete node that starts alone must know whom it lacks. So the registry is written before the
/// standing of a complete node is.
final class NodesFile implements Registry.Store, AutoCloseable {
    private static final Logger LOG = System.getLogger(NodesFile.class.getName());
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

    private final Path file;
    private final Place place;
    private final LongTasks tasks = new LongTasks();
    private final AtomicReference<byte @Nullable []> waiting = new AtomicReference<>();
    private volatile boolean closed;
    private volatile boolean failing;

    NodesFile(Path directory, Place place) {
        file = directory.resolve(Storage.NODES_FILE);
        this.place = place;
    }

    @Override
    public byte @Nullable [] load() throws IOException {
        try {
            byte[] bytes = Files.readAllBytes(file);
            byte[] registry = Arrays.copyOfRange(bytes, Math.min(Integer.BYTES, bytes.length), bytes.length);
            if (ByteReader.of(bytes).i32() != checksum(registry)) {
                throw new MalformedException("its checksum is wrong");
            }
            return registry;
        } catch (NoSuchFileException _) {
            // The directory is new.
            return null;
        } catch (IOException unreadable) {
            LOG.log(
                    Level.WARNING,
                    "Cannot read " + file + " (" + unreadable.getMessage() + "): names of former sessions are unknown"
                            + " until peers send them, and this node waits for others before it serves");
            throw unreadable;
        }
    }

    private static int checksum(byte[] bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes);
        return (int) sum.getValue();
    }

    @Override
    public void save(byte[] bytes) {
        waiting.set(bytes);
        // Refused when many wait: each of them writes the newest.
        boolean _ = tasks.add("nodes", this::write);
    }

    /// Returns when the file has what was handed over before; fails when it could not be written, or writes have ended.
    void flush() throws IOException {
        write();
        if (failing || closed) {
            throw new IOException("the file " + file.getFileName() + " could not be written");
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
                LOG.log(Level.WARNING, "Cannot write " + file + ": " + failure.getMessage());
            }
            failing = true;
            waiting.compareAndSet(null, bytes);
        }
    }

    /// Starts no more writes, and waits for the current one until a timeout.
    @Override
    public void close() {
        closed = true;
        TimeLimit.isMetBy(this::awaitWriter, "nodes-closing", CLOSE_TIMEOUT);
    }

    private synchronized void awaitWriter() {
        // Waiting for the lock is enough: the writer holds it, and checks `closed` under it.
        waiting.set(null);
    }
}
