package io.tallis.command;

import io.tallis.command.facts.CommandFlag;
import io.tallis.command.facts.CommandSpec;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Key;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A command together with its facts, in the form that the dispatcher checks on every request: plain fields instead of
/// look-ups.
public final class CommandEntry {
    /// Commands that run inside a transaction instead of being queued.
    private static final Set<String> IN_TRANSACTION = Set.of("exec", "discard", "multi", "watch", "quit", "reset");

    /// Commands that a RESP2 client may use while it has subscriptions.
    private static final Set<String> OF_SUBSCRIBERS = Set.of(
            "subscribe",
            "unsubscribe",
            "psubscribe",
            "punsubscribe",
            "ssubscribe",
            "sunsubscribe",
            "ping",
            "quit",
            "reset");

    /// Commands that only add to this process's own shard, so that the journal needs a row of that shard alone.
    private static final Set<String> ADDING = Set.of(
            "incr",
            "incrby",
            "decr",
            "decrby",
            "hincrby",
            "hincrbyfloat",
            "zincrby",
            "hcount|minc",
            "gcount|inc",
            "gcount|minc",
            "pncount|inc",
            "pncount|dec",
            "pncount|minc",
            "pncount|mdec");

    /// Commands whose words are channels: the number of the last one, negative counts from the end.
    private static final Map<String, Integer> LAST_CHANNEL =
            Map.of("publish", 1, "spublish", 1, "subscribe", -1, "psubscribe", -1, "ssubscribe", -1);

    /// Needs of a command on its keys, as bits.
    public static final int READS_KEYS = 1;

    public static final int WRITES_KEYS = 2;

    private static final Set<String> WRITING_ACCESS = Set.of("insert", "delete", "update");

    private static final Set<String> WITH_TOKEN = Set.of("pncount|inc", "pncount|dec", "increx");

    /// The words of a request that assigns a number have no more bytes besides the key.
    private static final int LITTLE_TEXT = 128;

    /// The largest value-max-len: a value with a larger gap is refused.
    private static final long MOST_GAP = 64L << 20;

    /// Among [#flags]: the command may change something, itself or by the commands of a script.
    public static final int MAY_WRITE = 1 << 30;

    private static final Set<String> REPLACING =
            Set.of("set", "setnx", "setex", "psetex", "getset", "mset", "msetnx", "hset", "hmset", "hsetnx");

    /// Commands that change fields of the hash that their key names: the first word that is a field, and the step to
    /// the next, 0 if there is only one.
    private static final Map<String, Fields> OF_FIELDS = Map.of(
            "hset", new Fields(2, 2),
            "hmset", new Fields(2, 2),
            "hsetnx", new Fields(2, 0),
            "hincrby", new Fields(2, 0),
            "hincrbyfloat", new Fields(2, 0),
            "hdel", new Fields(2, 1),
            "hcount|minc", new Fields(3, 2),
            // Members come behind options and scores: each word may be one.
            "zadd", new Fields(2, 1),
            "zincrby", new Fields(3, 0),
            "zrem", new Fields(2, 1));

    private record Fields(int first, int step) {}

    /// Commands that change fields which they choose themselves.
    private static final Set<String> CHOOSING = Set.of("zpopmin", "zpopmax", "zremrangebyrank", "zremrangebyscore");

    private static final Fields NO_FIELDS = new Fields(0, 0);

    /// Commands whose third word counts the keys that follow it.
    private static final Set<String> COUNTING = Set.of("eval", "evalsha", "eval_ro", "evalsha_ro");

    private static final Set<String> EXTENDING = Set.of("append", "setrange");

    private static final Set<String> COPYING = Set.of("rename", "renamenx", "copy");

    /// What a command does with text in its request.
    enum Texts {
        NONE,
        /// A key gets it as its value.
        REPLACES,
        /// The value of a key gets longer by it.
        EXTENDS
    }

    private final CommandSpec spec;
    private final Command command;
    private final @Nullable NameTable<CommandEntry> subcommands;
    private final int flags;
    private final int id;
    private final int arity;
    private final int firstKey;
    private final int lastKey;
    private final int keyStep;
    private final boolean countsKeys;
    private final boolean onlyAdds;
    private final boolean mayAddShard;
    private final boolean mayHaveToken;
    private final Texts texts;
    private final boolean fillsGap;
    private final boolean copies;
    private final boolean choosesFields;
    private final int firstField;
    private final int fieldStep;
    private final CounterType changes;
    private final boolean actsInTransaction;
    private final boolean executes;
    private final boolean concernsSubscriptions;
    private final int[] keyNeeds;
    private final boolean readsOnlyWithGet;
    private final int lastChannel;

    public CommandEntry(CommandSpec spec, Command command, Map<String, CommandEntry> subcommands) {
        this.spec = spec;
        this.command = command;
        this.subcommands = subcommands.isEmpty() ? null : new NameTable<>(subcommands);
        int bits = 0;
        for (CommandFlag flag : spec.flags()) {
            bits |= flag.bit();
        }
        boolean mayWrite = CommandFlag.WRITE.in(bits) || (countsKeysOf(spec) && !CommandFlag.READONLY.in(bits));
        flags = bits | (mayWrite ? MAY_WRITE : 0);
        id = spec.id();
        arity = spec.arity();
        firstKey = spec.keys().first();
        lastKey = spec.keys().last();
        keyStep = spec.keys().step();
        countsKeys = countsKeysOf(spec);
        onlyAdds = ADDING.contains(spec.fullName());
        mayAddShard = spec.fullName().endsWith("|merge");
        mayHaveToken = WITH_TOKEN.contains(spec.fullName());
        texts = textsOf(spec.fullName());
        copies = COPYING.contains(spec.fullName());
        fillsGap = spec.fullName().equals("setrange");
        choosesFields = CHOOSING.contains(spec.fullName());
        Fields fields = OF_FIELDS.getOrDefault(spec.fullName(), NO_FIELDS);
        firstField = fields.first;
        fieldStep = fields.step;
        changes = spec.fullName().startsWith("gcount|") ? CounterType.GCOUNT : CounterType.PNCOUNT;
        actsInTransaction = IN_TRANSACTION.contains(spec.fullName());
        executes = spec.fullName().equals("exec");
        concernsSubscriptions = OF_SUBSCRIBERS.contains(spec.fullName());
        keyNeeds = spec.access().stream().mapToInt(CommandEntry::keyNeedsOf).toArray();
        readsOnlyWithGet = spec.access().getFirst().contains("variable_flags");
        lastChannel = LAST_CHANNEL.getOrDefault(spec.fullName(), 0);
    }

    private static boolean countsKeysOf(CommandSpec spec) {
        return COUNTING.contains(spec.fullName());
    }

    private static int keyNeedsOf(List<String> access) {
        boolean writes = access.stream().anyMatch(WRITING_ACCESS::contains);
        return (access.contains("access") ? READS_KEYS : 0) | (writes ? WRITES_KEYS : 0);
    }

    private static Texts textsOf(String name) {
        if (REPLACING.contains(name)) {
            return Texts.REPLACES;
        }
        return EXTENDING.contains(name) ? Texts.EXTENDS : Texts.NONE;
    }

    public CommandSpec spec() {
        return spec;
    }

    public Command command() {
        return command;
    }

    @Nullable
    public NameTable<CommandEntry> subcommands() {
        return subcommands;
    }

    public int id() {
        return id;
    }

    public boolean fits(int words) {
        return arity >= 0 ? words == arity : words >= -arity;
    }

    public boolean is(CommandFlag flag) {
        return flag.in(flags);
    }

    /// All flags as bits, and [#MAY_WRITE].
    public int flags() {
        return flags;
    }

    /// The first word that is a key; 0 when there is none.
    public int firstKey() {
        return firstKey;
    }

    /// The last word that may be a key, in a request of so many words.
    public int lastKey(int words) {
        return lastKey < 0 ? words + lastKey : lastKey;
    }

    public int keyStep() {
        return keyStep;
    }

    /// What a request does to the key in a word: [#READS_KEYS], [#WRITES_KEYS], both, or 0 if it only asks whether it
    /// exists.
    public int keyNeeds(Arguments arguments, int word) {
        if (readsOnlyWithGet && !hasGet(arguments)) {
            return WRITES_KEYS;
        }
        return keyNeeds.length == 1
                ? keyNeeds[0]
                : keyNeeds[Math.min((word - firstKey) / keyStep, keyNeeds.length - 1)];
    }

    /// Whether there is the option `GET` of `SET`.
    private static boolean hasGet(Arguments arguments) {
        for (int word = 3; word < arguments.count(); word++) {
            if (arguments.is(word, "GET")) {
                return true;
            }
        }
        return false;
    }

    /// Whether the words from the first argument to [#lastChannel] are channels, or patterns of channels.
    public boolean hasChannels() {
        return lastChannel != 0;
    }

    /// The last word that is a channel, in a request of so many words.
    public int lastChannel(int words) {
        return lastChannel < 0 ? words + lastChannel : lastChannel;
    }

    /// Whether its channels are patterns.
    public boolean hasChannelPatterns() {
        return spec.fullName().equals("psubscribe");
    }

    /// Whether the third word is the number of the keys that follow it.
    boolean countsKeys() {
        return countsKeys;
    }

    /// Whether the command changes nothing but this process's own shards.
    public boolean onlyAdds() {
        return onlyAdds;
    }

    /// Whether it may give a counter another shard than this process's own.
    boolean mayAddShard() {
        return mayAddShard;
    }

    /// Whether a request may have a [TokenOption], for which it takes memory.
    public boolean hasToken(Arguments arguments) {
        boolean any = false;
        for (int word = firstKey + 1; word < arguments.count() && mayHaveToken; word++) {
            any |= TokenOption.isAt(arguments, word);
        }
        return any;
    }

    Texts texts() {
        return texts;
    }

    /// Whether its second key gets what the first has.
    boolean copies() {
        return copies;
    }

    /// How many bytes of memory a request may take: those of its words, and the gap that `SETRANGE` fills.
    public long bytes(Arguments arguments) {
        return arguments.bytes() + (fillsGap ? gap(arguments) : 0);
    }

    private static long gap(Arguments arguments) {
        int word = 2;
        long offset = Numbers.isSigned(arguments.array(), arguments.offset(word), arguments.length(word))
                ? Numbers.signed(arguments, word)
                : 0;
        return offset > 0 && offset <= MOST_GAP ? offset : 0;
    }

    /// Whether a request may make a value much longer than a number is.
    public boolean mayTakeMuch(Arguments arguments) {
        return switch (texts) {
            case NONE -> false;
            case REPLACES -> arguments.bytes() - arguments.length(firstKey) > LITTLE_TEXT;
            case EXTENDS -> true;
        };
    }

    /// The first word that is a field of a hash; 0 for a command that changes no single fields.
    public int firstField() {
        return firstField;
    }

    /// Whether it changes fields that it chooses as it runs, and claims what their rows take then.
    boolean choosesFields() {
        return choosesFields;
    }

    /// The step from one field to the next; 0 if there is only one.
    public int fieldStep() {
        return fieldStep;
    }

    /// The key of the field in a word, of the hash that the request names. Good until the next command.
    public Key field(Arguments arguments, int word, Client client) {
        return client.counters()
                .hashes()
                .key(arguments.key(firstKey), arguments.array(), arguments.offset(word), arguments.length(word));
    }

    /// Whether a request names a single field that it changes.
    public boolean changesOneField(Arguments arguments) {
        return firstField > 0 && (fieldStep == 0 || firstField + fieldStep >= arguments.count());
    }

    /// The type of the counters that it changes. A command that deletes may change both types.
    public CounterType changes() {
        return changes;
    }

    /// Whether it runs at once after `MULTI` instead of being queued.
    public boolean actsInTransaction() {
        return actsInTransaction;
    }

    /// Whether it is `EXEC`, which is subject to every check of the commands that it runs.
    public boolean executes() {
        return executes;
    }

    public boolean concernsSubscriptions() {
        return concernsSubscriptions;
    }
}
