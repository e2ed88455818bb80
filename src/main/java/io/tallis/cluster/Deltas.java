package io.tallis.cluster;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.OwnChanges;
import io.tallis.wire.ByteWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Sends own changes: at once after a quiet millisecond, else a millisecond after the last were sent.
///
/// At most about [#BUDGET] cells go at a time, which bounds the rate; what is left goes the next time. Under the
/// locks of partitions frames are only made; they are sent afterwards.
final class Deltas implements OwnChanges.Sender {
    /// The body of a frame ends with the entry that takes it beyond this, unless it is the frame's first.
    static final int FRAME_BYTES = 8_000;

    static final int BUDGET = 2_048;

    static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final OwnChanges changes;
    private final Sender sender;
    private final Entries entries;
    private final List<byte[]> frames = new ArrayList<>();
    private ByteWriter out = new ByteWriter(0);
    private boolean begun;
    private long nextFlush;
    private boolean complete = true;

    Deltas(OwnChanges changes, Sender sender, Entries entries) {
        this.changes = changes;
        this.sender = sender;
        this.entries = entries;
    }

    /// Sends what changed, if it is time. Returns whether all changes made before the call are sent.
    boolean flush(long now) {
        if (!changes.any()) {
            complete = true;
            return true;
        }
        if (now < nextFlush) {
            return false;
        }
        nextFlush = now + GATHER_NANOS;
        changes.drain(BUDGET, this);
        complete = changes.complete();
        end();
        frames.forEach(sender::multicast);
        frames.clear();
        return complete;
    }

    /// When there will be something to send, as far as is known now.
    long nextDue() {
        return changes.any() ? nextFlush : Long.MAX_VALUE;
    }

    @Override
    public long send(CounterType type, Key key, Counter counter) {
        if (!begun) {
            begin();
        }
        int start = out.position();
        entries.own(type, key, counter, out);
        if (out.position() > FRAME_BYTES && start > Frame.HEAD_BYTES) {
            byte[] entry = Arrays.copyOfRange(out.array(), start, out.position());
            out.position(start);
            end();
            begin();
            out.bytes(entry, 0, entry.length);
        }
        return sender.head();
    }

    private void begin() {
        sender.nextHead();
        out = sender.begin(Kind.DELTA);
        begun = true;
    }

    private void end() {
        if (begun) {
            frames.add(sender.seal());
            begun = false;
        }
    }
}
