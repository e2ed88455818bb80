package io.tallis.keyspace;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Checks the invariants of a keyspace: every cell is found under its key, once and in its partition; all counts agree
/// with the cells; counters are well-formed; partitions with cells that are marked for the replicator are known to it.
public final class KeyspaceAudit {
    private KeyspaceAudit() {}

    public static void check(Keyspace keyspace) {
        for (int i = 0; i < Keyspace.PARTITIONS; i++) {
            if (keyspace.partition(i).table().slots() == 0) {
                checkEmptyPartition(keyspace.partition(i));
            } else {
                checkPartition(keyspace, i);
                checkOwnChanges(keyspace, i);
            }
        }
    }

    private static void checkEmptyPartition(Partition partition) {
        int counted = partition.cells() | partition.keys() | partition.deletedCells();
        assertThat(counted | partition.table().cells() | partition.newestStamp())
                .isZero();
    }

    private static void checkPartition(Keyspace keyspace, int number) {
        Partition partition = keyspace.partition(number);
        CellTable table = partition.table();
        Map<String, Set<CounterType>> seen = new HashMap<>();
        Set<String> living = new HashSet<>();
        List<Long> fields = new ArrayList<>();
        int occupied = 0;
        int deleted = 0;
        int dated = 0;
        long deadlines = 0;
        for (int slot = 0; slot < table.slots(); slot++) {
            if (!table.isEmpty(slot)) {
                occupied++;
                Key key = new Key();
                Cell counter = new Cell();
                table.open(slot, key, counter);
                String name = new String(key.toByteArray(), java.nio.charset.StandardCharsets.ISO_8859_1);

                assertThat(keyspace.partitionOf(key)).isEqualTo(number);
                assertThat(table.find(counter.type(), key)).isEqualTo(slot);
                assertThat(seen.computeIfAbsent(name, _ -> new HashSet<>()).add(counter.type()))
                        .isTrue();
                assertThat(counter.isWellFormed()).isTrue();
                if (counter.exists()) {
                    if (counter.type() == CounterType.FIELD) {
                        Key hash = new Key().setToName(key);
                        table.place(hash);
                        fields.add(FieldIndex.entry(hash.hash(), key.hash()));
                        assertThat(partition.fields()).isNotNull();
                        assertThat(partition.fields().has(hash)).isTrue();
                        living.add(new String(hash.toByteArray(), java.nio.charset.StandardCharsets.ISO_8859_1));
                    } else if (counter.type().isKey()) {
                        living.add(name);
                    }
                    boolean isDated = counter.life().hasDeadline() && counter.type() != CounterType.TOKEN;
                    dated += isDated ? 1 : 0;
                    deadlines += isDated ? Math.min(counter.life().deadline(), 1L << 42) : 0;
                } else {
                    deleted++;
                }
            }
        }
        assertThat(partition.cells()).isEqualTo(occupied).isEqualTo(table.cells());
        assertThat(partition.keys()).isEqualTo(living.size());
        assertThat(indexed(partition))
                .isEqualTo(fields.stream().sorted(Long::compareUnsigned).toList());
        checkOrders(partition);
        assertThat(partition.deletedCells()).isEqualTo(deleted);
        assertThat(partition.dated()).isEqualTo(dated);
        assertThat(partition.deadlines()).isEqualTo(deadlines);
        assertThat(table.slots()).isGreaterThan(table.cells());
    }

    /// Each entry of an order is that of a field with this score, before the next one in the order.
    private static void checkOrders(Partition partition) {
        PartitionFields fields = partition.fields();
        if (fields == null) {
            return;
        }
        for (FieldOrder order : fields.orders()) {
            Key field = new Key();
            Cell cell = new Cell();
            for (int i = 0; i < order.size(); i++) {
                order.goTo(i);
                Score score = order.score();
                order.openKey(field);
                partition.table().place(field);
                assertThat(partition.read(CounterType.FIELD, field, cell)).isNotEqualTo(CellTable.NONE);
                assertThat(Score.seen(cell)).isEqualTo(score);
                assertThat(order.seek(score, field)).isTrue();
                assertThat(order.position()).isEqualTo(i);
            }
        }
    }

    private static List<Long> indexed(Partition partition) {
        List<Long> entries = new ArrayList<>();
        PartitionFields fields = partition.fields();
        if (fields != null) {
            fields.index().forEach(entries::add);
        }
        return entries;
    }

    private static void checkOwnChanges(Keyspace keyspace, int number) {
        Partition partition = keyspace.partition(number);
        CellTable table = partition.table();
        Marks marks = table.marks();
        int marked = 0;
        int astray = 0;
        int newest = OwnChanges.NEVER;
        for (int slot = 0; slot < table.slots(); slot++) {
            boolean isMarked = marks.next(Keyspace.Consumer.REPLICATOR, slot) == slot;
            int stamp = table.stamp(slot);
            marked += isMarked ? 1 : 0;
            astray += table.isEmpty(slot) && (isMarked || stamp != OwnChanges.NEVER) ? 1 : 0;
            newest = Integer.compareUnsigned(stamp, newest) > 0 ? stamp : newest;
        }
        boolean hidden = marked > 0 && !keyspace.ownChanges().isMarked(number);
        // The cell that had it may have been dropped.
        boolean isBeyond = Integer.compareUnsigned(newest, partition.newestStamp()) > 0;
        assertThat(List.of(astray, marks.count(Keyspace.Consumer.REPLICATOR), isBeyond, hidden))
                .as(
                        "marks and stamps without a cell, marks, a stamp beyond the newest, marks unknown to the replicator")
                .isEqualTo(List.of(0, marked, false, false));
    }
}
