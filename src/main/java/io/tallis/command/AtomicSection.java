package io.tallis.command;

import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Capacity;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.KeyspaceFullException;
import io.tallis.runtime.Halt;
import java.util.BitSet;
import java.util.List;
import java.util.function.ToLongFunction;

/// Several steps on several keys as one: no other thread sees a part of them, and the journal keeps all or none.
///
/// Partitions are locked in ascending order, all before the first step. Within `EXEC`, which has locked what its
/// commands need, a command's own section is part of the larger one. A mistake of ours between the steps of a section
/// ends the process, since half of it must not reach the journal as the whole; but `EXEC` goes on behind a command that
/// fails, which has changed nothing by then.
public final class AtomicSection {
    /// What the rows of one section may take in the journal, which keeps them in one frame. Whoever would change
    /// more is refused before the first change.
    private static final long MOST_ROW_BYTES = 8L << 20;

    private AtomicSection() {}

    /// Gives the counters of `type` under every `step`-th word from `first` on other values, all or none.
    public static void change(
            Client client, Arguments arguments, int first, int step, CounterType type, Runnable steps) {
        Capacity capacity = client.counters().capacity();
        run(client, arguments, first, step, steps, key -> {
            long bytes = capacity.rowBytes(key);
            capacity.claim(type, key, bytes);
            return bytes;
        });
    }

    /// Adds to the counters of `type` under every `step`-th word from `first` on, all or none.
    public static void add(Client client, Arguments arguments, int first, int step, CounterType type, Runnable steps) {
        Capacity capacity = client.counters().capacity();
        run(client, arguments, first, step, steps, key -> {
            long bytes = capacity.ownRowBytes(key);
            capacity.claim(type, key, bytes);
            return bytes;
        });
    }

    /// Deletes the counters under every word from `first` on, all or none.
    public static void delete(Client client, Arguments arguments, int first, Runnable steps) {
        Capacity capacity = client.counters().capacity();
        run(client, arguments, first, 1, steps, key -> {
            long bytes = capacity.resetRowBytes(key);
            capacity.claimForReset(key, bytes);
            return bytes;
        });
    }

    /// `claim` tells how many bytes of rows the change of a key takes, or throws when that finds no room.
    private static void run(
            Client client, Arguments arguments, int first, int step, Runnable steps, ToLongFunction<Key> claim) {
        run(client, partitionsOf(arguments, first, step, client), () -> {
            client.counters().capacity().begin();
            requireBounded(new Keys(first, arguments.count() - 1, step).sum(arguments, claim));
            steps.run();
        });
    }

    /// Which words of a request are keys.
    private record Keys(int first, int last, int step) {
        /// Counts no further than it takes to be too much.
        long sum(Arguments arguments, ToLongFunction<Key> rowBytes) {
            long bytes = 0;
            for (int word = first; word <= last && bytes <= MOST_ROW_BYTES; word += step) {
                bytes += rowBytes.applyAsLong(arguments.key(word));
            }
            return bytes;
        }
    }

    public static void run(Client client, BitSet partitions, Runnable steps) {
        if (client.inSection()) {
            runWhole(client.counters(), steps);
            return;
        }
        client.counters().lockAll(partitions);
        client.inSection(true);
        try {
            grouped(client.counters(), steps);
        } finally {
            client.inSection(false);
            client.counters().unlockAll(partitions);
        }
    }

    /// Refuses a section that would change counters of more than so many bytes of rows.
    public static void requireBounded(long rowBytes) {
        if (rowBytes > MOST_ROW_BYTES) {
            throw new CommandError("ERR the counters changed as one, with all their replicas, exceed " + MOST_ROW_BYTES
                    + " bytes; change fewer at a time");
        }
    }

    /// The most bytes of rows that what is queued writes, its keys counted as often as they are named. Counted no
    /// further than it takes to be too much.
    static long rowBytes(List<QueuedCommand> queue, Client client) {
        Capacity capacity = client.counters().capacity();
        // What adds after a reset writes whole rows too.
        boolean onlyAdds =
                queue.stream().map(QueuedCommand::entry).allMatch(entry -> entry.onlyAdds() || !changesKeys(entry));
        Arguments arguments = new Arguments();
        long bytes = 0;
        for (QueuedCommand queued : queue) {
            CommandEntry entry = queued.entry();
            if (changesKeys(entry) && bytes <= MOST_ROW_BYTES) {
                queued.restore(arguments);
                bytes += new Keys(entry.firstKey(), entry.lastKey(arguments.count()), entry.keyStep())
                        .sum(arguments, onlyAdds ? capacity::ownRowBytes : capacity::rowBytes);
            }
        }
        return bytes;
    }

    private static boolean changesKeys(CommandEntry entry) {
        return entry.is(CommandFlag.WRITE) && entry.firstKey() > 0;
    }

    private static void grouped(Counters counters, Runnable steps) {
        counters.log().beginGroup();
        try {
            runWhole(counters, steps);
        } finally {
            counters.log().endGroup();
        }
    }

    /// Steps refuse before they change anything. What else they throw is a mistake of ours, or the want of memory,
    /// and may have left a part of them done.
    private static void runWhole(Counters counters, Runnable steps) {
        long before = counters.changes();
        try {
            steps.run();
        } catch (CommandError | KeyspaceFullException refusal) {
            throw refusal;
        } catch (RuntimeException | Error mistake) {
            if (counters.changes() == before) {
                throw mistake;
            }
            throw Halt.because(mistake);
        }
    }

    /// Adds the partitions of what a request reads or changes.
    static void addPartitions(CommandEntry entry, Arguments arguments, Client client, BitSet partitions) {
        if (entry.spec().wholeKeyspace()) {
            partitions.set(0, Keyspace.PARTITIONS);
        } else if (entry.firstKey() > 0) {
            addKeys(arguments, entry.firstKey(), entry.lastKey(arguments.count()), entry.keyStep(), client, partitions);
        }
    }

    /// The partitions of the keys from word `first` to the end, every `step`-th.
    public static BitSet partitionsOf(Arguments arguments, int first, int step, Client client) {
        BitSet partitions = new BitSet();
        addKeys(arguments, first, arguments.count() - 1, step, client, partitions);
        return partitions;
    }

    private static void addKeys(Arguments arguments, int first, int last, int step, Client client, BitSet partitions) {
        Keyspace keyspace = client.counters().keyspace();
        for (int word = first; word <= last; word += step) {
            partitions.set(keyspace.partitionOf(arguments.key(word)));
        }
    }
}
