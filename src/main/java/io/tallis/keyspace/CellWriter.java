package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CounterCodec;

/// Writes cells in their wire form, with the id of one replica left out, or of none. Belongs to one thread.
final class CellWriter {
    private final int owner;
    private final Transcriber transcriber;
    private final CounterCodec codec;
    private final Counter counter = new Counter();

    /// Leaves out the id of the replica numbered `owner`, which may be [CounterCodec#NO_OWNER].
    CellWriter(Replicas replicas, int owner) {
        this.owner = owner;
        transcriber = new Transcriber(replicas);
        codec = new CounterCodec(replicas);
    }

    /// Writes the cell at `slot`, of which `key` is that in its record.
    void write(CellTable table, int slot, Key key, ByteWriter out) {
        CounterType type = table.type(slot);
        if (!transcriber.write(type, key, owner, out)) {
            codec.encodeKey(type, key.array(), key.offset(), key.length(), out);
            table.read(slot, counter);
            codec.encode(counter, owner, out);
        }
    }
}
