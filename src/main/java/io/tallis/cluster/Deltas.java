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
/// At most about [#BUDGET] cells go at a time, and no more bytes a second than the pace allows, since nobody promises
/// that they arrive; what is left goes the next time. Under the locks of partitions frames are only made; they are
/// sent afterwards.
final class Deltas implements OwnChanges.Sender {
    /// The body of a frame ends with the entry that takes it beyond this, unless it is the frame's first.
    static final int FRAME_BYTES = 8_000;

    static final int BUDGET = 1_024;

    static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final OwnChanges changes;
    private final Sender sender;
    private final Entries entries;
    private final Pace pace;
    private final List<byte[]> frames = new ArrayList<>();
    private ByteWriter out = new ByteWriter(0);
    private boolean begun;
    private long nextFlush;

    Deltas(OwnChanges changes, Sender sender, Entries entries, Pace pace) {
        this.changes = changes;
        this.sender = sender;
        this.entries = entries;
        this.pace = pace;
    }

    /// Sends what changed, if it is time.
    void flush(long now) {
        if (!changes.any() || now < nextFlush) {
            return;
        }
        changes.drain(BUDGET, this);
        end();
        send();
        nextFlush = now + Math.max(GATHER_NANOS, pace.nanosToWait(now));
    }

    private void send() {
        for (byte[] frame : frames) {
            pace.spend(frame.length);
            sender.multicast(frame);
        }
        frames.clear();
    }

    /// When changes may be sent again.
    long nextFlush() {
        return nextFlush;
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
