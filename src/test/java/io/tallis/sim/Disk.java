package io.tallis.sim;

import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.Registry;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.DirtyCells;
import io.tallis.keyspace.DirtyVisitor;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import io.tallis.testing.Gen;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A data directory by the rules of the product's: rows of a journal, of which a loss of power takes some from the end,
/// and a database that checkpoints write.
final class Disk {
    /// What is kept or lost as one, together with others of its `group`.
    sealed interface Entry {
        long group();
    }

    /// A note of folds.
    static final class Note implements Entry {
        private final byte[] bytes;
        private final long group;

        Note(byte[] bytes, long group) {
            this.bytes = bytes.clone();
            this.group = group;
        }

        @Override
        public long group() {
            return group;
        }
    }

    /// A cell as the journal has it: all of it, or the shard of `owner` only.
    static final class Row implements Entry {
        private final ReplicaId owner;
        private final CellName cell;
        private final byte[] counter;
        private final long group;
        private final long epochMillis;

        /// Recorded at a time of day.
        Row(ReplicaId owner, CellName cell, byte[] counter, long group, long epochMillis) {
            this.owner = owner;
            this.cell = cell;
            this.counter = counter;
            this.group = group;
            this.epochMillis = epochMillis;
        }

        ReplicaId owner() {
            return owner;
        }

        CellName cell() {
            return cell;
        }

        byte[] counter() {
            return counter;
        }

        @Override
        public long group() {
            return group;
        }
    }

    /// What is written at once, and what is acknowledged when it is.
    record Turn(List<Entry> entries, List<Promise> acknowledges) {}

    private final Map<CellName, Row> database = new HashMap<>();
    private final List<Turn> synced = new ArrayList<>();
    private final List<Turn> unsynced = new ArrayList<>();
    private final List<Promise> checkpointed = new ArrayList<>();
    private Standing standing = Standing.NONE;
    private byte[] notes = {};
    private byte @Nullable [] nodes;
    private boolean isCopied;

    void write(Turn turn) {
        unsynced.add(turn);
    }

    void sync() {
        synced.addAll(unsynced);
        unsynced.clear();
    }

    /// What of this kind was acknowledged and is still here.
    <P extends Promise> List<P> acknowledged(Class<P> kind) {
        List<Promise> acknowledged = new ArrayList<>(checkpointed);
        synced.forEach(turn -> acknowledged.addAll(turn.acknowledges));
        unsynced.forEach(turn -> acknowledged.addAll(turn.acknowledges));
        return acknowledged.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /// A power failure: only the first of the rows that were not synced are kept. Returns how many are lost.
    int losePower(Gen gen) {
        List<Entry> rows = new ArrayList<>();
        unsynced.forEach(turn -> rows.addAll(turn.entries));
        int cut = gen.between(0, rows.size());
        while (cut > 0
                && cut < rows.size()
                && rows.get(cut - 1).group() == rows.get(cut).group()) {
            cut--;
        }
        int left = cut;
        for (Turn turn : unsynced) {
            int kept = Math.min(left, turn.entries.size());
            left -= kept;
            synced.add(kept == turn.entries.size() ? turn : new Turn(turn.entries.subList(0, kept), List.of()));
        }
        unsynced.clear();
        return rows.size() - cut;
    }

    /// Which cluster the node belongs to.
    Standing standing() {
        return standing;
    }

    void standing(Standing standing) {
        this.standing = standing;
    }

    /// The file of known nodes.
    Registry.Store nodes() {
        return new Registry.Store() {
            @Override
            public byte @Nullable [] load() {
                return nodes;
            }

            @Override
            public void save(byte[] bytes) {
                nodes = bytes;
            }
        };
    }

    void loseNodes() {
        nodes = null;
    }

    /// Whether it had, or was given to others as, a copy.
    boolean isCopied() {
        return isCopied;
    }

    void isCopied(boolean copied) {
        isCopied = copied;
    }

    /// Empties the disk.
    void wipe() {
        standing = Standing.NONE;
        notes = new byte[0];
        nodes = null;
        database.clear();
        synced.clear();
        unsynced.clear();
        checkpointed.clear();
    }

    /// Takes the content of another disk.
    void become(Disk other) {
        wipe();
        database.putAll(other.database);
        synced.addAll(other.synced);
        unsynced.addAll(other.unsynced);
        checkpointed.addAll(other.checkpointed);
        standing = other.standing;
        notes = other.notes;
        nodes = other.nodes;
    }

    /// Writes what changed to the database and lets the journal go. Nothing of the process may be unwritten.
    /// `meanwhile` is run between the cells.
    void checkpoint(Keyspace keyspace, BooleanSupplier pauses, Runnable meanwhile) {
        sync();
        keyspace.journalRotated();
        Rows rows = new Rows(keyspace.replicas());
        byte[] made = keyspace.folds().notes();
        DirtyCells changed = keyspace.dirtyCells();
        DirtyVisitor into = new DirtyVisitor(
                () -> !pauses.getAsBoolean(),
                (type, key, cell) -> {
                    CellName name = CellName.of(type, key);
                    database.put(name, rows.write(name, cell, true, 0, 0));
                },
                (type, key) -> database.remove(CellName.of(type, key)));
        while (!changed.allShown()) {
            changed.show(into);
            meanwhile.run();
        }
        notes = made;
        synced.forEach(turn -> checkpointed.addAll(turn.acknowledges));
        synced.clear();
    }

    /// Fills an empty keyspace.
    void load(Keyspace keyspace) {
        load(keyspace, _ -> true);
    }

    /// Fills an empty keyspace with some of the cells.
    void load(Keyspace keyspace, Predicate<CellName> which) {
        keyspace.folds().loading(true);
        take(keyspace, notes);
        Merges merges = new Merges(keyspace, ChangeLog.NONE);
        Rows rows = new Rows(keyspace.replicas());
        database.forEach((cell, row) -> {
            if (which.test(cell)) {
                merges.restore(cell.toKey(), rows.read(row));
            }
        });
        List<Turn> turns = new ArrayList<>(synced);
        turns.addAll(unsynced);
        for (Turn turn : turns) {
            for (Entry entry : turn.entries) {
                switch (entry) {
                    case Note note -> take(keyspace, note.bytes);
                    case Row row -> {
                        if (which.test(row.cell)) {
                            merges.mergeAgain(row.cell.toKey(), rows.read(row), row.epochMillis);
                        }
                    }
                }
            }
        }
        keyspace.loaded();
        // As a start does: what was young when it was written may have been copied since.
        keyspace.age();
        keyspace.age();
    }

    private static void take(Keyspace keyspace, byte[] notes) {
        try {
            keyspace.folds().takeAll(notes);
        } catch (MalformedException e) {
            throw new AssertionError(e);
        }
    }

    /// The cells in the database.
    Set<CellName> inDatabase() {
        return Set.copyOf(database.keySet());
    }
}
