package io.tallis.keyspace;

import io.tallis.crdt.CounterType;
import io.tallis.wire.ByteReader;
import io.tallis.wire.CounterCodec;
import io.tallis.wire.MalformedException;

/// A cell as somebody else tells it: a view of its wire form, which stands in a frame.
///
/// Used again from cell to cell. Belongs to one thread.
public final class ToldCell {
    private static final byte[] NO_BYTES = {};

    private final Key key = new Key();
    private CounterType type = CounterType.PNCOUNT;
    private int owner;
    private int start;
    private int counterStart;
    private int end;

    /// Looks at the cell that is next in `in` and passes over it. A shard without an id is that of the replica numbered
    /// `owner`. Throws when there is no cell; what [CounterCodec#decode] would refuse may pass.
    public void next(ByteReader in, CounterCodec codec, int owner) throws MalformedException {
        start = in.position();
        type = codec.decodeKey(in);
        counterStart = in.position();
        codec.skip(in);
        end = in.position();
        key.set(in.array(), codec.keyOffset(), codec.keyLength());
        this.owner = owner;
    }

    /// Looks at nothing any more, or it would keep the frame from the garbage collector.
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

    /// The bytes that it stands in.
    public byte[] array() {
        return key.array();
    }

    public int start() {
        return start;
    }

    /// Where its counter begins, which ends with it.
    public int counterStart() {
        return counterStart;
    }

    public int end() {
        return end;
    }
}
