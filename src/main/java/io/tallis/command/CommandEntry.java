package io.tallis.command;

import io.tallis.crdt.CounterType;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A command that clients can call, with what the rules for all commands need to know of it at hand.
public final class CommandEntry {
    /// Commands that do their work within a transaction instead of being queued.
    private static final Set<String> IN_TRANSACTION = Set.of("exec", "discard", "multi", "watch", "quit", "reset");

    /// Commands that a client of RESP2 may use while it has subscriptions.
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

    /// Commands that change a counter by adding to this process's share of it, so that a row of that is enough.
    private static final Set<String> ADDING = Set.of(
            "incr",
            "incrby",
            "decr",
            "decrby",
            "gcount|inc",
            "gcount|minc",
            "pncount|inc",
            "pncount|dec",
            "pncount|minc",
            "pncount|mdec");

    private final CommandSpec spec;
    private final Command command;
    private final @Nullable NameTable<CommandEntry> subcommands;
    private final int flags;
    private final int id;
    private final int arity;
    private final int firstKey;
    private final int lastKey;
    private final int keyStep;
    private final boolean onlyAdds;
    private final CounterType changes;
    private final boolean actsInTransaction;
    private final boolean executes;
    private final boolean concernsSubscriptions;

    CommandEntry(CommandSpec spec, Command command, Map<String, CommandEntry> subcommands) {
        this.spec = spec;
        this.command = command;
        this.subcommands = subcommands.isEmpty() ? null : new NameTable<>(subcommands);
        int bits = 0;
        for (CommandFlag flag : spec.flags()) {
            bits |= flag.bit();
        }
        flags = bits;
        id = spec.id();
        arity = spec.arity();
        firstKey = spec.keys().first();
        lastKey = spec.keys().last();
        keyStep = spec.keys().step();
        onlyAdds = ADDING.contains(spec.fullName());
        changes = spec.fullName().startsWith("gcount|") ? CounterType.GCOUNT : CounterType.PNCOUNT;
        actsInTransaction = IN_TRANSACTION.contains(spec.fullName());
        executes = spec.fullName().equals("exec");
        concernsSubscriptions = OF_SUBSCRIBERS.contains(spec.fullName());
    }

    public CommandSpec spec() {
        return spec;
    }

    Command command() {
        return command;
    }

    @Nullable
    NameTable<CommandEntry> subcommands() {
        return subcommands;
    }

    int id() {
        return id;
    }

    boolean fits(int words) {
        return arity >= 0 ? words == arity : words >= -arity;
    }

    boolean is(CommandFlag flag) {
        return flag.in(flags);
    }

    /// All flags as bits.
    int flags() {
        return flags;
    }

    /// The first word that is a key, 0 when there is none.
    int firstKey() {
        return firstKey;
    }

    /// The last word that may be a key in a request of so many words.
    int lastKey(int words) {
        return lastKey < 0 ? words + lastKey : lastKey;
    }

    int keyStep() {
        return keyStep;
    }

    /// Whether all that the command changes is this process's share of counters.
    boolean onlyAdds() {
        return onlyAdds;
    }

    /// The type of the counters that it changes, if any; what deletes may change both.
    CounterType changes() {
        return changes;
    }

    /// Whether it is run and not queued after `MULTI`.
    boolean actsInTransaction() {
        return actsInTransaction;
    }

    /// Whether it is `EXEC`, to which all applies that applies to what it runs.
    boolean executes() {
        return executes;
    }

    boolean concernsSubscriptions() {
        return concernsSubscriptions;
    }
}
