package io.tallis.cluster.delta;

import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.frame.Pace;
import io.tallis.cluster.frame.Sender;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.OwnChanges;
import io.tallis.wire.ByteWriter;
import java.util.concurrent.TimeUnit;

/// Sends own changes, a thousand times a second at most. Of milliseconds in which it sent nothing a few are saved, so
/// that changes which fall close together now and then go at once.
///
/// At most about [#BUDGET] marked cells and [#MOST_UNSENT_BYTES] in all go at a time, and no more bytes a second than
/// the pace allows, since nobody promises that they arrive; what is left goes the next time.
public final class Deltas implements OwnChanges.Sender {
    static final int BUDGET = 1_024;

    /// About so many bytes go at a time, where cells are large.
    private static final long MOST_UNSENT_BYTES = 1 << 18;

    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MOST_SAVED_NANOS = 8 * GATHER_NANOS;

    private final OwnChanges changes;
    private final Sender sender;
    private final Entries entries;
    private final Pace pace;
    private final Batch batch;
    private final OwnChanges.EntrySender encoded = new Encoded();
    private long nextMillisecond;
    private long nextFlush;

    public Deltas(OwnChanges changes, Sender sender, Entries entries, Pace pace) {
        this.changes = changes;
        this.sender = sender;
        this.entries = entries;
        this.pace = pace;
        batch = new Batch(sender, pace, this::begin);
    }

    /// What is encoded already takes no more than half of a flush, so that marked cells have their share of it.
    private final class Encoded implements OwnChanges.EntrySender {
        @Override
        public long send(byte[] array, int offset, int length) {
            batch.entry().bytes(array, offset, length);
            batch.added();
            return sender.head();
        }

        @Override
        public boolean takesMore() {
            return batch.unsent() < MOST_UNSENT_BYTES / 2;
        }
    }

    /// As long as it has not: what a flush makes is in memory until all of it is sent.
    @Override
    public boolean takesMore() {
        return batch.unsent() < MOST_UNSENT_BYTES;
    }

    /// Sends what changed, if it is time.
    public void flush(long now) {
        if (!changes.any() || now < nextFlush) {
            return;
        }
        changes.drainEntries(encoded);
        changes.drain(BUDGET, this);
        batch.multicast();
        changes.sent(sender.head());
        nextMillisecond = Math.max(nextMillisecond, now - MOST_SAVED_NANOS) + GATHER_NANOS;
        nextFlush = Math.max(nextMillisecond, now + pace.nanosToWait(now));
    }

    /// When changes may be sent again.
    public long nextFlush() {
        return nextFlush;
    }

    @Override
    public long send(CounterType type, Key key, Counter counter) {
        entries.own(type, key, counter, batch.entry());
        batch.added();
        return sender.head();
    }

    private ByteWriter begin() {
        sender.nextHead();
        return sender.begin(Kind.DELTA);
    }
}
