package io.tallis.cluster.delta;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Key;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CounterCodec;

/// Writes cells into frames; this session's replica id is left out, since the frame has it.
public final class Entries {
    private final CounterCodec codec;

    public Entries(Replicas replicas) {
        codec = new CounterCodec(replicas);
    }

    /// What this session did to the cell. Once anything in it was reset that is all of it: a shard may tell of a
    /// reset that took back others' shards as well, and nobody may see one without the other (I8).
    public void own(CounterType type, Key key, Counter counter, ByteWriter out) {
        codec.encodeKey(type, key.array(), key.offset(), key.length(), out);
        if (counter.everReset()) {
            codec.encode(counter, Replicas.OWN, out);
        } else {
            codec.encodeOnly(counter, Replicas.OWN, out);
        }
    }

    public void whole(CounterType type, Key key, Counter counter, ByteWriter out) {
        codec.encodeKey(type, key.array(), key.offset(), key.length(), out);
        codec.encode(counter, Replicas.OWN, out);
    }
}
