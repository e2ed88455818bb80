package io.tallis.command;

import io.tallis.command.facts.CommandFlag;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Capacity;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Hashes;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.KeyspaceFullException;
import io.tallis.runtime.Halt;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;

/// Runs several changes of several keys as one: other threads see all of them or none, and so does the journal.
///
/// All partitions are locked before the first step, in ascending order, which rules out deadlocks between sections.
/// Inside `EXEC`, which holds the locks of all its commands, the section of a single command joins the outer one.
///
/// An unexpected exception after the first change ends the process: the changes made so far are already in the event
/// loop's journal buffer, and would be written as if they were the whole. A [CommandError] is harmless, since commands
/// throw it before they change anything, so `EXEC` goes on with the next command.
public final class AtomicSection {
    /// The most bytes of journal rows of one section, because the journal writes them as one frame. A larger section is
    /// refused before its first change.
    private static final long MOST_ROW_BYTES = 8L << 20;

    private static final int COUNT_OF_KEYS = 2;

    private AtomicSection() {}

    /// Assigns to the keys under every second word from the first argument on the values behind them.
    public static void assign(Client client, Arguments arguments, Runnable steps) {
        Capacity capacity = client.counters().capacity();
        run(client, arguments, 1, 2, steps, word -> {
            Key key = arguments.key(word);
            long bytes = capacity.rowBytes(key) + arguments.length(word + 1);
            capacity.claim(CounterType.PNCOUNT, key, bytes);
            return bytes;
        });
    }

    /// Adds to the counters of `type` under every `step`-th word from `first`.
    public static void add(Client client, Arguments arguments, int first, int step, CounterType type, Runnable steps) {
        Capacity capacity = client.counters().capacity();
        run(client, arguments, first, step, steps, word -> {
            Key key = arguments.key(word);
            long bytes = capacity.ownRowBytes(key);
            capacity.claim(type, key, bytes);
            return bytes;
        });
    }

    /// Which words of a request name fields that it changes: every `step`-th from `first`, of the hash in word `hash`.
    /// At the distance `value` from each stands the value that it gets, or the amount. With distance 0 they are
    /// deleted.
    public record FieldWords(Arguments arguments, int hash, int first, int step, int value) {
        /// Behind the hash are fields, each with its value or amount behind it.
        public static FieldWords withValues(Arguments arguments, int hash) {
            return new FieldWords(arguments, hash, hash + 1, 2, 1);
        }

        /// Behind the hash are fields that are deleted.
        public static FieldWords toDelete(Arguments arguments, int hash) {
            return new FieldWords(arguments, hash, hash + 1, 1, 0);
        }

        /// From the word `score` on are scores, each with its member behind it.
        public static FieldWords withScores(Arguments arguments, int hash, int score) {
            return new FieldWords(arguments, hash, score + 1, 2, -1);
        }

        private long claim(Client client, int word) {
            Key field = client.counters()
                    .hashes()
                    .key(arguments.key(hash), arguments.array(), arguments.offset(word), arguments.length(word));
            return value == 0
                    ? claimToDelete(client, field)
                    : claimField(client, field, arguments.length(word + value));
        }
    }

    /// Runs steps that change these fields: holds the partition of their hash, and claims the memory for all of them.
    public static void fields(Client client, FieldWords words, Runnable steps) {
        Arguments arguments = words.arguments;
        run(client, partitionsOf(client, arguments.key(words.hash)), () -> {
            client.counters().capacity().begin();
            requireBounded(
                    new Keys(words.first, arguments.count() - 1, words.step).sum(word -> words.claim(client, word)));
            steps.run();
        });
    }

    private static long claimField(Client client, Key field, int valueBytes) {
        Capacity capacity = client.counters().capacity();
        long bytes = capacity.fieldRowBytes(field) + valueBytes;
        capacity.claim(CounterType.FIELD, field, bytes);
        return bytes;
    }

    private static long claimToDelete(Client client, Key field) {
        Capacity capacity = client.counters().capacity();
        if (!capacity.hasCell(CounterType.FIELD, field)) {
            return 0;
        }
        long bytes = capacity.fieldRowBytes(field);
        capacity.claimForReset(field, bytes);
        return bytes;
    }

    /// Deletes the fields of a hash that `choice` names, which is asked under its lock. Within a section their rows are
    /// claimed now. Elsewhere it names a piece of a hash at a time, whose rows are as those of [Hashes#delete(Key)].
    public static void deleteFields(Client client, Key hash, Supplier<List<byte[]>> choice) {
        boolean isWithinSection = client.inSection();
        run(client, partitionsOf(client, hash), () -> {
            Hashes hashes = client.counters().hashes();
            List<byte[]> fields = choice.get();
            client.counters().capacity().begin();
            long rowBytes = fields.stream()
                    .mapToLong(field -> claimToDelete(client, hashes.key(hash, field, 0, field.length)))
                    .sum();
            if (isWithinSection) {
                claimRows(client, rowBytes);
            }
            fields.forEach(field -> hashes.delete(hash, field, 0, field.length));
        });
    }

    /// Refuses, within a section, a change of all fields of a hash that would make the section too large. Elsewhere it
    /// is made of some fields after the other.
    public static void requireBounded(Client client, Key key) {
        if (client.inSection() && client.counters().hashes().exists(key)) {
            requireBounded(client.counters().capacity().rowBytes(key));
        }
    }

    /// Deletes the counters under every word from `first`.
    public static void delete(Client client, Arguments arguments, int first, Runnable steps) {
        Capacity capacity = client.counters().capacity();
        run(client, arguments, first, 1, steps, word -> {
            Key key = arguments.key(word);
            long bytes = capacity.resetRowBytes(key);
            capacity.claimForReset(key, bytes);
            return bytes;
        });
    }

    /// Refuses, within a section, to give one key what another has, when memory or a journal frame has no room for it.
    public static void requireRoomToCopy(Client client, Key source, Key target, boolean deletesSource) {
        Capacity capacity = client.counters().capacity();
        capacity.begin();
        long sourceBytes = capacity.rowBytes(source);
        long fields = client.counters().hashes().length(source);
        // Each field names its hash.
        long targetBytes = capacity.rowBytes(target) + sourceBytes + fields * (target.length() + Integer.BYTES);
        // Either counter of the target may have to be reset, and has a row of its own.
        capacity.claimForReset(target, targetBytes);
        for (CounterType type : CounterType.KEYS) {
            if (capacity.hasCell(type, source)) {
                capacity.claim(type, target, targetBytes);
            }
        }
        if (fields > 0) {
            capacity.claimNew(target, targetBytes);
        }
        if (deletesSource) {
            capacity.claimForReset(source, sourceBytes);
        }
        requireBounded(targetBytes + sourceBytes);
    }

    /// `claim` returns the bytes of rows that the change of the key in a word takes, or throws when memory has no room
    /// for it.
    private static void run(
            Client client, Arguments arguments, int first, int step, Runnable steps, IntToLongFunction claim) {
        run(client, partitionsOf(arguments, first, step, client), () -> {
            client.counters().capacity().begin();
            requireBounded(new Keys(first, arguments.count() - 1, step).sum(claim));
            steps.run();
        });
    }

    /// The words of a request that are keys.
    private record Keys(int first, int last, int step) {
        /// Stops counting when the bound is exceeded.
        long sum(IntToLongFunction rowBytes) {
            long bytes = 0;
            for (int word = first; word <= last && bytes <= MOST_ROW_BYTES; word += step) {
                bytes += rowBytes.applyAsLong(word);
            }
            return bytes;
        }
    }

    /// Runs the steps under the locks of these partitions.
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

    /// Refuses a section with more than the allowed bytes of rows.
    public static void requireBounded(long rowBytes) {
        if (rowBytes > MOST_ROW_BYTES) {
            throw new CommandError("ERR this changes more than " + MOST_ROW_BYTES
                    + " bytes of counters at once, all their replicas included;"
                    + " use fewer keys, fields or members at a time");
        }
    }

    /// Claims the bytes of rows that the queued commands of a transaction may write, before the first of them is run.
    public static void claimRows(Client client, long rowBytes) {
        requireBounded(client.claimedInSection() + rowBytes);
        client.claimInSection(rowBytes);
    }

    /// Claims the bytes of rows of a command that a script calls.
    public static void claimRows(Client client, CommandEntry entry, Arguments arguments) {
        if (!changesKeys(entry)) {
            return;
        }
        Capacity capacity = client.counters().capacity();
        boolean onlyAdds = client.onlyAddsInSection(entry.onlyAdds());
        if (entry.choosesFields()) {
            return;
        }
        if (entry.firstField() > 0) {
            claimRows(client, new QueuedFields().bytes(entry, arguments, client));
            return;
        }
        boolean hasToken = entry.hasToken(arguments);
        long added = addedBytes(entry, hasToken, arguments)
                + (entry.texts() == CommandEntry.Texts.NONE ? 0 : entry.bytes(arguments));
        Keys keys = new Keys(entry.firstKey(), entry.lastKey(arguments.count()), entry.keyStep());
        claimRows(
                client,
                keys.sum(word -> added
                        + (onlyAdds && !hasToken
                                ? capacity.ownRowBytes(arguments.key(word))
                                : capacity.rowBytes(arguments.key(word)))));
    }

    /// What a row gets longer by a source that it has not had, and by what is noted of a token.
    private static long addedBytes(CommandEntry entry, boolean hasToken, Arguments arguments) {
        return (entry.mayAddShard() ? Capacity.SOURCE_BYTES : 0)
                + (hasToken ? Capacity.TOKEN_BYTES + arguments.bytes() : 0);
    }

    /// An upper bound for the bytes of rows that queued commands write; a key counts each time it is named. Stops
    /// counting when the bound of a section is exceeded.
    static long rowBytes(List<Transaction.Queued> queue, Client client) {
        Capacity capacity = client.counters().capacity();
        // What adds after a reset writes whole rows too.
        boolean onlyAdds = queue.stream()
                .map(Transaction.Queued::entry)
                .allMatch(entry -> entry.onlyAdds() || !changesKeys(entry));
        Arguments arguments = new Arguments();
        QueuedTexts texts = new QueuedTexts();
        QueuedFields fields = new QueuedFields();
        long bytes = 0;
        int shards = 0;
        for (Transaction.Queued queued : queue) {
            CommandEntry entry = queued.entry();
            if (changesKeys(entry) && !entry.choosesFields() && bytes <= MOST_ROW_BYTES) {
                queued.restore(arguments);
                if (entry.firstField() > 0) {
                    bytes += fields.bytes(entry, arguments, client);
                    continue;
                }
                bytes += entry.copies() ? copied(entry, arguments, texts, capacity) : 0;
                // What was done before is recorded whole.
                boolean hasToken = entry.hasToken(arguments);
                shards += entry.mayAddShard() ? 1 : 0;
                long added = shards * Capacity.SOURCE_BYTES + (hasToken ? Capacity.TOKEN_BYTES + arguments.bytes() : 0);
                bytes += new Keys(entry.firstKey(), entry.lastKey(arguments.count()), entry.keyStep()).sum(word -> {
                    Key key = arguments.key(word);
                    long own = onlyAdds && !hasToken ? capacity.ownRowBytes(key) : capacity.rowBytes(key);
                    return own + added + texts.bytesAfter(entry, arguments, word) + fields.bytesOf(arguments, word);
                });
            }
        }
        return bytes;
    }

    /// The bytes that the second key of a request may get from the first, which its later rows have too.
    private static long copied(CommandEntry entry, Arguments arguments, QueuedTexts texts, Capacity capacity) {
        int source = entry.firstKey();
        return texts.copy(arguments, source, source + 1, capacity.rowBytes(arguments.key(source)));
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

    /// Steps throw a refusal before they change anything. Anything else that they throw is a bug or a lack of memory,
    /// and may have left some changes made.
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

    /// Adds the partitions of the counters that a request reads or changes.
    static void addPartitions(CommandEntry entry, Arguments arguments, Client client, BitSet partitions) {
        if (entry.spec().wholeKeyspace()) {
            partitions.set(0, Keyspace.PARTITIONS);
        } else if (entry.firstKey() > 0) {
            addKeys(arguments, entry.firstKey(), entry.lastKey(arguments.count()), entry.keyStep(), client, partitions);
        } else if (entry.countsKeys()) {
            addKeys(arguments, COUNT_OF_KEYS + 1, COUNT_OF_KEYS + countedKeys(arguments), 1, client, partitions);
        }
    }

    /// How many keys follow their number; 0 if the request is not valid, which the command will say.
    private static int countedKeys(Arguments arguments) {
        int most = arguments.count() - 1 - COUNT_OF_KEYS;
        int offset = arguments.offset(COUNT_OF_KEYS);
        int length = arguments.length(COUNT_OF_KEYS);
        long keys = Numbers.isSigned(arguments.array(), offset, length)
                ? Numbers.signed(arguments.array(), offset, length)
                : 0;
        return keys >= 0 && keys <= most ? (int) keys : 0;
    }

    /// The partitions of the keys whose number is in the third word and which follow it.
    public static BitSet partitionsOfCounted(Arguments arguments, int keys, Client client) {
        BitSet partitions = new BitSet(Keyspace.PARTITIONS);
        addKeys(arguments, COUNT_OF_KEYS + 1, COUNT_OF_KEYS + keys, 1, client, partitions);
        return partitions;
    }

    /// The partitions of the keys at every `step`-th word from `first` to the end.
    public static BitSet partitionsOf(Arguments arguments, int first, int step, Client client) {
        BitSet partitions = new BitSet();
        addKeys(arguments, first, arguments.count() - 1, step, client, partitions);
        return partitions;
    }

    /// The partitions of these keys.
    public static BitSet partitionsOf(Client client, Key... keys) {
        BitSet partitions = new BitSet();
        for (Key key : keys) {
            partitions.set(client.counters().keyspace().partitionOf(key));
        }
        return partitions;
    }

    private static void addKeys(Arguments arguments, int first, int last, int step, Client client, BitSet partitions) {
        Keyspace keyspace = client.counters().keyspace();
        for (int word = first; word <= last; word += step) {
            // An empty word among the keys of a script is none: a command that it calls with it is refused.
            if (arguments.length(word) > 0) {
                partitions.set(keyspace.partitionOf(arguments.key(word)));
            }
        }
    }
}
