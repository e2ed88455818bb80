package io.tallis.keyspace;

import io.tallis.wire.FieldKey;

/// A walk over the fields of one hash, in the order of their probe hashes.
///
///     walk.on(partition, name, 0);
///     while (walk.nextEntry()) {
///         for (int slot = walk.nextSlot(); slot != CellTable.NONE; slot = walk.nextSlot()) { ... }
///     }
///
/// Cells may change between two steps, and fields may appear and vanish between two entries. Belongs to one thread,
/// which holds the partition's lock.
final class FieldWalk {
    /// How many probe hashes there are: where the walk ends.
    static final long END = 1L << Integer.SIZE;

    private byte[] prefix = {};
    private int length;
    private int hash;
    private Partition partition;
    private long from;
    private int fieldHash;
    private int slot;

    FieldWalk(Partition partition) {
        this.partition = partition;
    }

    /// Begins with the fields whose probe hash is not below `from`. The key is that of the hash, and knows its place.
    void on(Partition partition, Key name, long from) {
        this.partition = partition;
        this.from = from;
        hash = name.hash();
        int needed = FieldKey.prefixLength(name.length());
        if (prefix.length < needed) {
            prefix = new byte[needed];
        }
        length = FieldKey.writePrefix(name.array(), name.offset(), name.length(), prefix);
    }

    /// Goes to the next entry. Returns whether there is one. It may be that of a field of another hash.
    boolean nextEntry() {
        PartitionFields fields = partition.fields();
        if (fields == null || from == END) {
            return false;
        }
        FieldIndex index = fields.index();
        if (!index.seek(FieldIndex.entry(hash, (int) from)) || FieldIndex.hashOf(index.entry()) != hash) {
            from = END;
            return false;
        }
        fieldHash = (int) index.entry();
        from = Integer.toUnsignedLong(fieldHash) + 1;
        slot = CellTable.NONE;
        return true;
    }

    /// The slot of the next field with this entry, also of one that does not exist; [CellTable#NONE] at the end.
    int nextSlot() {
        slot = partition.table().nextField(fieldHash, slot, prefix, length);
        return slot;
    }

    /// How many bytes of the keys of its fields name the hash.
    int prefixLength() {
        return length;
    }

    /// Where to go on after the present entry.
    long from() {
        return from;
    }
}
