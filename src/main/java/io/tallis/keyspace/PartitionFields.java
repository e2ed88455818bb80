package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// The living fields of the hashes in a partition. Made with its first field, so that a partition without hashes has
/// nothing of it.
///
/// A field is living as long as its cell is counted as seen: one that has ended is until it is stored as ended. Guarded
/// by the partition's lock.
final class PartitionFields {
    private static final byte[] NO_PREFIX = {};

    /// The order of so many fields is made for each reading, and not kept.
    private static final int FEW = 64;

    private final Partition partition;
    private final FieldIndex index;
    private final FieldWalk walk;
    private final OrderMemory orderMemory;
    private final FieldOrder.Scratch scratch;

    /// The orders that are kept, by the probe hash of the name of their hash. Of two hashes with equal ones the order
    /// of that which was read last is there.
    private final Map<Integer, FieldOrder> orders = new HashMap<>();

    private final Key name = new Key();
    private final Key field = new Key();
    private final Cell cell = new Cell();

    PartitionFields(Partition partition, LongAdder bytesUsed, OrderMemory orderMemory) {
        this.partition = partition;
        this.orderMemory = orderMemory;
        scratch = new FieldOrder.Scratch(partition);
        index = new FieldIndex(bytesUsed);
        walk = new FieldWalk(partition);
    }

    FieldIndex index() {
        return index;
    }

    /// Takes note of a field that readers begin to see, or see no more. Returns whether a key appeared or vanished with
    /// it. Overwrites `spare`.
    boolean appearedOrVanished(Key field, boolean appeared, Cell spare) {
        partition.table().place(name.setToName(field));
        long entry = FieldIndex.entry(name.hash(), field.hash());
        if (!appeared) {
            index.remove(entry);
        }
        boolean hasOthers = has(name);
        if (appeared) {
            if (!hasOthers && index.hasAny(name.hash())) {
                index.share(name.hash());
            }
            index.add(entry);
        } else if (!hasOthers) {
            forgetOrder(name);
        }
        return !hasOthers
                && !partition.counts(CounterType.PNCOUNT, name, spare)
                && !partition.counts(CounterType.GCOUNT, name, spare);
    }

    /// Whether the hash of that name has a living field. The key knows its place.
    boolean has(Key hash) {
        boolean isShared = index.isShared(hash.hash());
        walk.on(partition, hash, 0);
        while (walk.nextEntry()) {
            for (int slot = walk.nextSlot(); slot != CellTable.NONE; slot = walk.nextSlot()) {
                partition.table().read(slot, cell);
                if (cell.exists()) {
                    return true;
                }
            }
            if (!isShared) {
                // All fields here are those of another hash.
                return false;
            }
        }
        return false;
    }

    /// The order of a hash, as far as it is covered. The key knows its place.
    FieldOrder order(Key hash, long now) {
        FieldOrder kept = orders.get(hash.hash());
        if (kept != null && kept.isOf(hash) && !kept.isDue(now)) {
            return kept;
        }
        forgetOrder(hash);
        Key copy = Key.of(hash.toByteArray());
        partition.table().place(copy);
        int fields = index.count(hash.hash());
        boolean hasRoom = orderMemory.hasRoom(fields);
        if (fields > FEW && hasRoom) {
            return keep(new FieldOrder(scratch, copy, orderMemory.bytesUsed()));
        }
        if (fields > Hashes.PIECE) {
            throw KeyspaceFullException.ofOrder();
        }
        FieldOrder made = new FieldOrder(scratch, copy);
        boolean _ = made.cover(Integer.MAX_VALUE, now);
        return made;
    }

    private FieldOrder keep(FieldOrder made) {
        FieldOrder replaced = orders.put(made.hash(), made);
        if (replaced != null) {
            replaced.release();
        }
        return made;
    }

    boolean hasOrders() {
        return !orders.isEmpty();
    }

    /// The orders that are kept.
    Iterable<FieldOrder> orders() {
        return orders.values();
    }

    /// A field has changed, see [FieldOrder#changed].
    void changed(Key field, @Nullable Score before, Cell cell) {
        if (hasOrders()) {
            partition.table().place(name.setToName(field));
            FieldOrder order = orders.get(name.hash());
            if (order != null && order.isOf(name)) {
                order.changed(field, before, cell);
            }
        }
    }

    /// A field has ended, whose value is not known any more: the order of its hash is made again when it is asked for.
    void ended(Key field) {
        if (hasOrders()) {
            partition.table().place(name.setToName(field));
            forgetOrder(name);
        }
    }

    private void forgetOrder(Key hash) {
        FieldOrder order = orders.get(hash.hash());
        if (order != null && order.isOf(hash)) {
            order.release();
            orders.remove(hash.hash());
        }
    }

    /// The deadline of the first field that readers see at `now`, [Life#NEVER] if it has none, [Counters#ABSENT] if
    /// there is no field. The key knows its place.
    long firstDeadline(Key hash, long now) {
        walk.on(partition, hash, 0);
        while (walk.nextEntry()) {
            for (int slot = walk.nextSlot(); slot != CellTable.NONE; slot = walk.nextSlot()) {
                if (isSeen(slot, now)) {
                    return cell.life().deadline();
                }
            }
        }
        return Counters.ABSENT;
    }

    /// Whether readers see the field at `slot`. Fills `cell`.
    private boolean isSeen(int slot, long now) {
        partition.table().read(slot, cell);
        return cell.exists() && !cell.life().isOver(now);
    }

    /// Shows the name of each hash whose own probe hash lies in [from, to) and that has a field which readers see at
    /// `now`, with the first of them.
    void names(long from, long to, long now, CellVisitor visitor) {
        long next = from;
        while (next < to && index.seek(FieldIndex.entry((int) next, 0))) {
            int hash = FieldIndex.hashOf(index.entry());
            next = Integer.toUnsignedLong(hash) + 1;
            if (next <= to) {
                namesOf(hash, now, visitor);
            }
        }
    }

    /// Shows the hashes with this probe hash: one, unless it is shared.
    private void namesOf(int hash, long now, CellVisitor visitor) {
        CellTable table = partition.table();
        boolean isShared = index.isShared(hash);
        List<byte[]> shown = new ArrayList<>();
        long from = 0;
        while (from < FieldWalk.END
                && index.seek(FieldIndex.entry(hash, (int) from))
                && FieldIndex.hashOf(index.entry()) == hash) {
            int fieldHash = (int) index.entry();
            from = Integer.toUnsignedLong(fieldHash) + 1;
            for (int slot = table.nextField(fieldHash, CellTable.NONE, NO_PREFIX, 0);
                    slot != CellTable.NONE;
                    slot = table.nextField(fieldHash, slot, NO_PREFIX, 0)) {
                table.openKey(slot, field);
                table.place(name.setToName(field));
                boolean isNew = name.hash() == hash && shown.stream().noneMatch(other -> name.equalTo(other));
                if (isNew && isSeen(slot, now)) {
                    visitor.cell(CounterType.FIELD, name, cell);
                    if (!isShared) {
                        return;
                    }
                    shown.add(name.toByteArray());
                }
            }
        }
    }
}
