package io.tallis.keyspace;

import io.tallis.crdt.Cell;

/// A walk over the keys as clients see them: the cells that are keys, and each hash once, with one of its fields.
///
/// A hash stands where the cell of a key of that name would.
final class KeysWalk extends CellWalk {
    private final Expiry expiry;
    private final CellVisitor visitor;

    KeysWalk(Expiry expiry, CellVisitor visitor) {
        Cell cell = new Cell();
        super(ANY_STAMP, (table, slot, key) -> {
            if (table.type(slot).isKey()) {
                table.read(slot, cell);
                if (cell.life().hasDeadline()) {
                    cell.endIfOver(expiry.now());
                }
                visitor.cell(cell.type(), key, cell);
            }
        });
        this.expiry = expiry;
        this.visitor = visitor;
    }

    @Override
    int visit(Partition partition, long from, long to) {
        partition.lock();
        try {
            int shown = super.visit(partition, from, to);
            PartitionFields fields = partition.fields();
            if (fields != null) {
                fields.names(from, to, expiry.now(), visitor);
            }
            return shown;
        } finally {
            partition.unlock();
        }
    }
}
