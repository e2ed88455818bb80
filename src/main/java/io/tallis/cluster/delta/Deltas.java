package io.tallis.cluster.delta;

import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.frame.Pace;
import io.tallis.cluster.frame.Sender;
import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.OwnChanges;
import io.tallis.wire.ByteWriter;
import java.util.concurrent.TimeUnit;

/// Multicasts this session's own changes as DELTA frames. Each flush sends what has changed since the last one. On
/// average there are at most a thousand flushes a second; some eight may follow one another at once after a time
/// without any, so that changes which come now and then are sent without delay.
///
/// A flush takes at most [#BUDGET] marked cells and about [#MOST_UNSENT_BYTES], and the pace bounds the bytes a second,
/// because multicasts have no flow control and a receiver that is too slow drops them. What is left is sent by the next
/// flush.
public final class Deltas implements OwnChanges.Sender {
    static final int BUDGET = 1_024;

    /// A flush ends after about so many bytes, which matters where cells are large.
    private static final long MOST_UNSENT_BYTES = 1 << 18;

    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MOST_SAVED_NANOS = 8 * GATHER_NANOS;

    private final OwnChanges changes;
    private final Sender sender;
    private final Entries entries;
    private final Pace pace;
    private final Batch batch;
    private final OwnChanges.EntrySender encoded = new Encoded();

    /// When the next flush would be due if each took its millisecond: up to [#MOST_SAVED_NANOS] ago.
    private long nextMillisecond;

    private long nextFlush;

    public Deltas(OwnChanges changes, Sender sender, Entries entries, Pace pace) {
        this.changes = changes;
        this.sender = sender;
        this.entries = entries;
        this.pace = pace;
        batch = new Batch(sender, pace, this::begin);
    }

    /// Takes changes that the event loops encoded. They may fill half of a flush, so that marked cells are not starved.
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

    /// Frames are in memory until the whole flush is sent, so its size is bounded.
    @Override
    public boolean takesMore() {
        return batch.unsent() < MOST_UNSENT_BYTES;
    }

    /// Sends what changed, if a flush is due.
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
    public long send(CounterType type, Key key, Cell counter) {
        entries.own(type, key, counter, batch.entry());
        batch.added();
        return sender.head();
    }

    private ByteWriter begin() {
        sender.nextHead();
        return sender.begin(Kind.DELTA);
    }
}
