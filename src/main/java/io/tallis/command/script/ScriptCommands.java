package io.tallis.command.script;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.LoopState;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.command.dispatch.NestedCommands;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import io.tallis.script.LuaString;
import io.tallis.script.LuaTable;
import io.tallis.script.LuaValue;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// `EVAL`, `EVALSHA`, their read-only forms, and `SCRIPT`.
///
/// A script is a transaction: the partitions of its keys are locked from its start to its end, and the journal keeps
/// all of its changes or none. What it changed before it failed stays changed, as in Redis.
public final class ScriptCommands implements CommandFamily {
    private static final int FIRST_KEY = 3;
    private static final int SHA1_LENGTH = 40;

    private final NestedCommands commands;
    private final Live<Long> mostSteps;
    private final Clock clock;
    private final ScriptCache cache = new ScriptCache();
    private final Map<LoopState, ScriptRunner> runners = new ConcurrentHashMap<>();

    /// `mostSteps` is how many steps a script may take.
    public ScriptCommands(NestedCommands commands, Live<Long> mostSteps, Clock clock) {
        this.commands = commands;
        this.mostSteps = mostSteps;
        this.clock = clock;
    }

    @Override
    public void addTo(CommandSet set) {
        set.add("eval", (arguments, client, reply) -> run(sent(arguments), arguments, client, reply, false))
                .add("eval_ro", (arguments, client, reply) -> run(sent(arguments), arguments, client, reply, true))
                .add("evalsha", (arguments, client, reply) -> run(named(arguments), arguments, client, reply, false))
                .add("evalsha_ro", (arguments, client, reply) -> run(named(arguments), arguments, client, reply, true))
                .add("script|load", this::load)
                .add("script|exists", this::exists)
                .add("script|flush", this::flush)
                .add("script|kill", this::kill);
    }

    private Script sent(Arguments arguments) {
        countOfKeys(arguments);
        return cache.of(arguments.bytes(1));
    }

    private Script named(Arguments arguments) {
        countOfKeys(arguments);
        Script script = arguments.length(1) == SHA1_LENGTH ? cache.find(arguments.text(1)) : null;
        if (script == null) {
            throw new CommandError("NOSCRIPT No matching script. Please use EVAL.");
        }
        return script;
    }

    private static int countOfKeys(Arguments arguments) {
        long count = Numbers.signed(arguments, 2);
        if (count > arguments.count() - FIRST_KEY) {
            throw new CommandError("ERR Number of keys can't be greater than number of args");
        }
        if (count < 0) {
            throw new CommandError("ERR Number of keys can't be negative");
        }
        return (int) count;
    }

    private void run(Script script, Arguments arguments, Client client, Reply reply, boolean readsOnly) {
        int count = countOfKeys(arguments);
        DeclaredKeys keys = new DeclaredKeys(arguments, FIRST_KEY, count);
        LuaValue[] values = new LuaValue[arguments.count() - FIRST_KEY - count];
        for (int i = 0; i < values.length; i++) {
            values[i] = LuaString.of(arguments.bytes(FIRST_KEY + count + i));
        }
        ScriptRunner.Run call = new ScriptRunner.Run(script, keys, LuaTable.list(values), readsOnly);
        ScriptRunner runner = runnerOf(client);
        AtomicSection.run(
                client,
                AtomicSection.partitionsOfCounted(arguments, count, client),
                () -> runner.run(call, client, mostSteps.now() - client.stepsInSection(), reply));
    }

    private ScriptRunner runnerOf(Client client) {
        LoopState loop = client.loop();
        if (loop == null) {
            throw new IllegalStateException("a client that runs a script has a loop state");
        }
        ScriptRunner runner = runners.get(loop);
        return runner != null ? runner : runners.computeIfAbsent(loop, _ -> new ScriptRunner(commands, clock));
    }

    private void load(Arguments arguments, Client client, Reply reply) {
        reply.bulk(cache.of(arguments.bytes(2)).sha1());
    }

    private void exists(Arguments arguments, Client client, Reply reply) {
        reply.array(arguments.count() - 2);
        for (int word = 2; word < arguments.count(); word++) {
            boolean isKnown = arguments.length(word) == SHA1_LENGTH
                    && cache.find(arguments.text(word).toLowerCase(Locale.ROOT)) != null;
            reply.integer(isKnown ? 1 : 0);
        }
    }

    private void flush(Arguments arguments, Client client, Reply reply) {
        boolean modeIsValid = arguments.count() == 2
                || (arguments.count() == 3 && (arguments.is(2, "ASYNC") || arguments.is(2, "SYNC")));
        if (!modeIsValid) {
            throw new CommandError("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
        }
        cache.clear();
        reply.ok();
    }

    /// `SCRIPT KILL`: ends the scripts of other event loops that have changed nothing.
    private void kill(Arguments arguments, Client client, Reply reply) {
        boolean someWrite = false;
        boolean someWereKilled = false;
        for (ScriptRunner runner : runners.values()) {
            switch (runner.kill()) {
                case KILLED -> someWereKilled = true;
                case WRITING -> someWrite = true;
                case IDLE, READING -> {}
            }
        }
        if (!someWereKilled && someWrite) {
            throw new CommandError("UNKILLABLE Sorry the script already executed write commands against the dataset."
                    + " You can either wait the script termination or kill the server in a hard way using the"
                    + " SHUTDOWN NOSAVE command.");
        }
        if (!someWereKilled) {
            throw new CommandError("NOTBUSY No scripts in execution right now.");
        }
        reply.ok();
    }
}
