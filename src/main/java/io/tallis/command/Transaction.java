package io.tallis.command;

import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a client has queued since `MULTI`, and the keys it watches. Belongs to the client's event loop.
public final class Transaction {
    /// The most commands that one transaction queues; one more discards it.
    public static final int MOST_COMMANDS = 1 << 16;

    /// The most bytes of requests that one transaction queues, overhead included; one more discards it.
    public static final int MOST_BYTES = 8 << 20;

    /// The most keys that one client watches.
    public static final int MOST_WATCHES = 1 << 12;

    /// The most bytes of watched keys, and of what is remembered of them.
    public static final int MOST_WATCHED_BYTES = 1 << 20;

    private static final int OVERHEAD = 64;

    private boolean open;
    private @Nullable String broken;
    private int flags;
    private long bytes;
    private List<QueuedCommand> queue = List.of();
    private List<Watch> watches = List.of();
    private long watchedBytes;

    /// A watched key and what was known of it.
    private static final class Watch {
        private final byte[] key;
        private final byte @Nullable [] snapshot;

        Watch(byte[] key, byte @Nullable [] snapshot) {
            this.key = key;
            this.snapshot = snapshot;
        }

        long bytes() {
            return (long) OVERHEAD + key.length + (snapshot == null ? 0 : snapshot.length);
        }

        boolean isOf(Key other) {
            int from = other.offset();
            return Arrays.equals(key, 0, key.length, other.array(), from, from + other.length());
        }
    }

    /// Whether `MULTI` was said and neither `EXEC` nor `DISCARD`.
    public boolean isOpen() {
        return open;
    }

    public void begin() {
        open = true;
        queue = new ArrayList<>();
    }

    /// Queues a copy of a command. Returns false, having queued nothing, when that would be too much.
    boolean queue(CommandEntry entry, Arguments arguments) {
        long cost = OVERHEAD + QueuedCommand.sizeOf(arguments) + (long) arguments.count() * Integer.BYTES;
        if (queue.size() == MOST_COMMANDS || bytes + cost > MOST_BYTES) {
            return false;
        }
        bytes += cost;
        flags |= entry.flags();
        queue.add(QueuedCommand.copyOf(entry, arguments));
        return true;
    }

    public List<QueuedCommand> queued() {
        return queue;
    }

    /// The flags of all that is queued, as bits.
    int flags() {
        return flags;
    }

    /// What all of it takes.
    public long bytes() {
        return bytes + watchedBytes;
    }

    /// Notes that a command was refused, so that `EXEC` refuses them all. Does nothing outside a transaction.
    void refused() {
        broken = !open ? null : "EXECABORT Transaction discarded because of previous errors.";
    }

    /// Why `EXEC` has to refuse; null when it need not.
    public @Nullable String broken() {
        return broken;
    }

    /// Watches a key. Returns false when that would be too much.
    public boolean watch(Key key, Counters counters) {
        if (watches.stream().anyMatch(watch -> watch.isOf(key))) {
            return true;
        }
        if (watches.size() == MOST_WATCHES) {
            return false;
        }
        Watch watch = new Watch(key.toByteArray(), counters.snapshot(key));
        if (watchedBytes + watch.bytes() > MOST_WATCHED_BYTES) {
            return false;
        }
        watches = watches.isEmpty() ? new ArrayList<>() : watches;
        watches.add(watch);
        watchedBytes += watch.bytes();
        return true;
    }

    /// The partitions of all that is queued or watched.
    public BitSet partitions(Client client) {
        BitSet partitions = new BitSet();
        Arguments arguments = new Arguments();
        for (QueuedCommand queued : queue) {
            queued.restore(arguments);
            AtomicSection.addPartitions(queued.entry(), arguments, client, partitions);
        }
        for (Watch watch : watches) {
            partitions.set(client.counters().keyspace().partitionOf(Key.of(watch.key)));
        }
        return partitions;
    }

    /// The most bytes that all that is queued writes to the journal.
    public long rowBytes(Client client) {
        return AtomicSection.rowBytes(queue, client);
    }

    /// Whether no watched key changed since it was first watched.
    public boolean watchesHold(Counters counters) {
        return watches.stream().allMatch(watch -> counters.unchanged(Key.of(watch.key), watch.snapshot));
    }

    public void unwatch() {
        watches = List.of();
        watchedBytes = 0;
    }

    /// Forgets queue and watches.
    public void end() {
        open = false;
        broken = null;
        flags = 0;
        bytes = 0;
        queue = List.of();
        unwatch();
    }
}
