package io.tallis.journal.checkpoint;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.Faults.Fate;
import io.tallis.journal.disk.Pause;
import io.tallis.keyspace.CellVisitor;
import io.tallis.keyspace.Key;
import io.tallis.testing.Gen;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A database in memory that keeps the promises of [CellStore] and no others: at a crash any of the rows since the last
/// commit may be gone.
public class SimulatedCellStore implements CellStore {
    private record Name(int partition, CounterType type, String key) {}

    private final Faults faults;
    private volatile boolean inUse;
    private volatile boolean closedInUse;
    private final AtomicInteger closings = new AtomicInteger();
    private final Map<Name, byte[]> committed = new HashMap<>();
    private final List<Map.Entry<Name, byte[]>> written = new ArrayList<>();
    private byte[] notes = {};
    private long replayFrom = NEVER_COMMITTED;
    private volatile @Nullable String damage;
    private int largestBatch;

    public SimulatedCellStore(Faults faults) {
        this.faults = faults;
    }

    void losePower(Gen gen) {
        for (Map.Entry<Name, byte[]> row : written) {
            if (gen.chance(50)) {
                commit(row);
            }
        }
        written.clear();
    }

    /// Some of its files are deleted.
    void damageFiles() {
        damage = "a file of the database is gone";
    }

    void repairFiles() {
        damage = null;
    }

    private void requireUndamaged() throws DamagedException {
        String found = damage;
        if (found != null) {
            throw new DamagedException(found);
        }
    }

    /// The same rows on a machine of its own.
    SimulatedCellStore copy(Faults others) {
        SimulatedCellStore copy = new SimulatedCellStore(others);
        copy.committed.putAll(committed);
        copy.replayFrom = replayFrom;
        copy.notes = notes;
        return copy;
    }

    @Override
    public void throttle(boolean throttled) {}

    @Override
    public long replayFrom() {
        return replayFrom;
    }

    @Override
    public long cellsEstimate() {
        return committed.size();
    }

    @Override
    public long bytes() {
        return committed.values().stream().mapToLong(row -> row.length).sum();
    }

    @Override
    public void load(int from, int to, Replicas replicas, CellVisitor visitor) throws IOException {
        requireUndamaged();
        CellCodec codec = new CellCodec(replicas);
        Cell counter = new Cell();
        for (Map.Entry<Name, byte[]> row : committed.entrySet()) {
            Name name = row.getKey();
            if (name.partition >= from && name.partition < to) {
                codec.decode(ByteReader.of(row.getValue()), name.type, CellCodec.NO_OWNER, counter);
                visitor.cell(name.type, Key.of(name.key.getBytes(StandardCharsets.ISO_8859_1)), counter);
            }
        }
    }

    @Override
    public byte[] notes() {
        return notes.clone();
    }

    @Override
    public void writeNotes(byte[] notes) {
        this.notes = notes.clone();
    }

    @Override
    public Batch newBatch(Replicas replicas) {
        return new Rows(replicas);
    }

    @Override
    public void openForWriting() throws IOException {
        faults.run("open the database", () -> {});
        requireUndamaged();
    }

    @Override
    public @Nullable String damage() {
        return damage;
    }

    @Override
    public void write(Batch batch) throws IOException {
        inUse = true;
        try {
            largestBatch = Math.max(largestBatch, ((Rows) batch).bytes);
            Fate fate = faults.next("write rows");
            written.addAll(((Rows) batch).rows);
            finish("write rows", fate);
        } finally {
            inUse = false;
        }
    }

    @Override
    public void commit(long segment) throws IOException {
        Fate fate = faults.next("commit " + segment);
        if (fate != Fate.FAILS) {
            written.forEach(this::commit);
            written.clear();
            replayFrom = segment;
        }
        finish("commit " + segment, fate);
    }

    private void commit(Map.Entry<Name, byte[]> row) {
        if (row.getValue().length == 0) {
            committed.remove(row.getKey());
        } else {
            committed.put(row.getKey(), row.getValue());
        }
    }

    /// A failure closes the database, which forgets what it has in memory.
    private void finish(String operation, Fate fate) throws IOException {
        if (fate == Fate.FAILS || fate == Fate.FAILS_AFTER) {
            written.clear();
        }
        faults.finish(operation, fate);
    }

    /// Copies with content are tried with the real database.
    @Override
    public void copyTo(Path directory, Pause pause) throws IOException {
        Fate fate = faults.next("copy");
        Files.createDirectories(directory);
        faults.finish("copy", fate);
    }

    @Override
    public void close() {
        closedInUse |= inUse;
        closings.incrementAndGet();
    }

    /// How often it was closed.
    public int closings() {
        return closings.get();
    }

    /// Whether it was ever closed while rows were written, which crashes a process with a real database.
    public boolean closedInUse() {
        return closedInUse;
    }

    /// How many bytes the largest batch had.
    int largestBatch() {
        return largestBatch;
    }

    /// A batch.
    private static final class Rows implements Batch {
        /// Stands for a row that takes a cell out.
        static final byte[] DELETED = {};

        private final CellCodec codec;
        private final List<Map.Entry<Name, byte[]>> rows = new ArrayList<>();
        private int bytes;

        Rows(Replicas replicas) {
            codec = new CellCodec(replicas);
        }

        @Override
        public void add(int partition, Key key, Cell cell) {
            ByteWriter value = new ByteWriter(64);
            codec.encode(cell, CellCodec.NO_OWNER, value);
            rows.add(Map.entry(name(partition, cell.type(), key), value.toByteArray()));
            bytes += value.position();
        }

        @Override
        public void delete(int partition, CounterType type, Key key) {
            rows.add(Map.entry(name(partition, type, key), DELETED));
        }

        private static Name name(int partition, CounterType type, Key key) {
            return new Name(partition, type, new String(key.toByteArray(), StandardCharsets.ISO_8859_1));
        }

        @Override
        public void clear() {
            rows.clear();
            bytes = 0;
        }

        @Override
        public int bytes() {
            return bytes;
        }
    }
}
