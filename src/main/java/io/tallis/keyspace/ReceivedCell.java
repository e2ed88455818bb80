package io.tallis.keyspace;

import io.tallis.crdt.CounterType;
import io.tallis.wire.ByteReader;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;

/// A cell that a peer sent: a view of its wire form in a frame. Reused from cell to cell. Belongs to one thread.
public final class ReceivedCell {
    private static final byte[] NO_BYTES = {};

    private final Key key = new Key();
    private CounterType type = CounterType.PNCOUNT;
    private int owner;
    private int start;
    private int counterStart;
    private int end;

    /// Views the next cell of `in`, and skips it. A shard without an id is that of the replica numbered `owner`. Checks
    /// only where the cell ends; [CellCodec#decode] may still refuse it.
    public void next(ByteReader in, CellCodec codec, int owner) throws MalformedException {
        start = in.position();
        type = codec.decodeKey(in);
        counterStart = in.position();
        codec.skip(in);
        end = in.position();
        key.set(type, in.array(), codec.keyOffset(), codec.keyLength());
        this.owner = owner;
    }

    /// Drops the reference to the frame, which the garbage collector could not free otherwise.
    public void forget() {
        key.set(NO_BYTES, 0, 0);
    }

    public CounterType type() {
        return type;
    }

    public Key key() {
        return key;
    }

    /// The number of the replica whose shard has no id.
    public int owner() {
        return owner;
    }

    /// The array that it is in.
    public byte[] array() {
        return key.array();
    }

    public int start() {
        return start;
    }

    /// Where its counter begins; it reaches to the end.
    public int counterStart() {
        return counterStart;
    }

    public int end() {
        return end;
    }
}
