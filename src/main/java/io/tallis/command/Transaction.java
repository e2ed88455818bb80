package io.tallis.command;

import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The transaction of one client: the commands queued since `MULTI`, and the watched keys. Belongs to the client's
/// event loop.
public final class Transaction {
    /// The most commands in a transaction. One more discards the transaction.
    public static final int MOST_COMMANDS = 1 << 16;

    /// The most bytes of queued requests, overhead included. One more discards the transaction.
    public static final int MOST_BYTES = 8 << 20;

    /// The most keys that one client watches.
    public static final int MOST_WATCHES = 1 << 12;

    /// The most bytes of watched keys and their snapshots.
    public static final int MOST_WATCHED_BYTES = 1 << 20;

    private static final int OVERHEAD = 64;

    private boolean open;
    private @Nullable String broken;
    private int flags;
    private long bytes;
    private List<Queued> queue = List.of();
    private List<Watch> watches = List.of();
    private long watchedBytes;

    /// A watched key with the state of its cells when `WATCH` was called.
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

    /// A command that waits for `EXEC`: a copy of its words, one after the other.
    public static final class Queued {
        private final CommandEntry entry;
        private final byte[] bytes;
        private final int[] lengths;

        private Queued(CommandEntry entry, byte[] bytes, int[] lengths) {
            this.entry = entry;
            this.bytes = bytes;
            this.lengths = lengths;
        }

        /// Copies a request.
        public static Queued copyOf(CommandEntry entry, Arguments arguments) {
            byte[] bytes = new byte[sizeOf(arguments)];
            int[] lengths = new int[arguments.count()];
            int end = 0;
            for (int word = 0; word < lengths.length; word++) {
                lengths[word] = arguments.length(word);
                System.arraycopy(arguments.array(), arguments.offset(word), bytes, end, lengths[word]);
                end += lengths[word];
            }
            return new Queued(entry, bytes, lengths);
        }

        private static int sizeOf(Arguments arguments) {
            int size = 0;
            for (int word = 0; word < arguments.count(); word++) {
                size += arguments.length(word);
            }
            return size;
        }

        public CommandEntry entry() {
            return entry;
        }

        /// The bytes that it takes.
        public long size() {
            return OVERHEAD + bytes.length + (long) lengths.length * Integer.BYTES;
        }

        /// Makes `arguments` a view of the words.
        public void restore(Arguments arguments) {
            arguments.begin(bytes);
            int offset = 0;
            for (int length : lengths) {
                arguments.add(offset, length);
                offset += length;
            }
        }
    }

    /// Whether a transaction has begun and has not ended.
    public boolean isOpen() {
        return open;
    }

    public void begin() {
        open = true;
        queue = new ArrayList<>();
    }

    /// Queues a copy of a command. Returns false, without queueing it, when a bound would be exceeded.
    public boolean queue(CommandEntry entry, Arguments arguments) {
        long cost = OVERHEAD + Queued.sizeOf(arguments) + (long) arguments.count() * Integer.BYTES;
        if (queue.size() == MOST_COMMANDS || bytes + cost > MOST_BYTES) {
            return false;
        }
        bytes += cost;
        flags |= entry.flags();
        queue.add(Queued.copyOf(entry, arguments));
        return true;
    }

    public List<Queued> queued() {
        return queue;
    }

    /// The union of the flags of all queued commands, as bits.
    public int flags() {
        return flags;
    }

    /// The bytes that queue and watches take.
    public long bytes() {
        return bytes + watchedBytes;
    }

    /// Notes that a command was refused, so that `EXEC` will refuse the transaction. No effect outside of one.
    public void refused() {
        broken = !open ? null : "EXECABORT Transaction discarded because of previous errors.";
    }

    /// The error that `EXEC` must reply with, or null.
    public @Nullable String broken() {
        return broken;
    }

    /// Watches a key. Returns false when a bound would be exceeded.
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

    /// The partitions of all keys that are queued or watched.
    public BitSet partitions(Client client) {
        BitSet partitions = new BitSet();
        Arguments arguments = new Arguments();
        for (Queued queued : queue) {
            queued.restore(arguments);
            AtomicSection.addPartitions(queued.entry(), arguments, client, partitions);
        }
        for (Watch watch : watches) {
            partitions.set(client.counters().keyspace().partitionOf(Key.of(watch.key)));
        }
        return partitions;
    }

    /// An upper bound for the bytes that the queued commands write to the journal.
    public long rowBytes(Client client) {
        return AtomicSection.rowBytes(queue, client);
    }

    /// Whether no watched key has changed since `WATCH`.
    public boolean watchesHold(Counters counters) {
        return watches.stream().allMatch(watch -> counters.unchanged(Key.of(watch.key), watch.snapshot));
    }

    public void unwatch() {
        watches = List.of();
        watchedBytes = 0;
    }

    /// Clears queue and watches.
    public void end() {
        open = false;
        broken = null;
        flags = 0;
        bytes = 0;
        queue = List.of();
        unwatch();
    }
}
