package io.tallis.command.dispatch;

import io.tallis.acl.AccessControl;
import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.CommandEntry;
import io.tallis.command.CommandSettings;
import io.tallis.command.Denial;
import io.tallis.command.LoopState;
import io.tallis.command.MemoryLevel;
import io.tallis.command.Reply;
import io.tallis.command.facts.CommandFlag;
import io.tallis.keyspace.Key;
import io.tallis.runtime.Live;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// The commands that scripts call: found, checked and run as those of clients are. Any event loop may call, for its own
/// clients.
public final class NestedCommands {
    private static final BitSet NO_MORE_PARTITIONS = new BitSet();

    /// Flags of commands that scripts may not call.
    private static final int REFUSED =
            CommandFlag.NOSCRIPT.bit() | CommandFlag.NO_MULTI.bit() | CommandFlag.BLOCKING.bit();

    private final CommandRunner runner;
    private final AccessControl access;
    private final Live<CommandSettings> settings;
    private final WriteGate writeGate;
    private volatile @Nullable CommandTable table;

    /// What a script may do.
    public interface Scope {
        /// Whether it declared the key, so that the key's partition is locked.
        boolean declares(Key key);

        /// Called before a command that may change something. Returns whether it may.
        boolean write();
    }

    public NestedCommands(
            CommandRunner runner, AccessControl access, Live<CommandSettings> settings, WriteGate writeGate) {
        this.runner = runner;
        this.access = access;
        this.settings = settings;
        this.writeGate = writeGate;
    }

    /// Sets the table of the commands, before the first call.
    public void use(CommandTable commands) {
        table = commands;
    }

    /// The command that the words name, or null.
    public @Nullable CommandEntry find(Arguments arguments) {
        CommandTable commands = table;
        if (commands == null) {
            throw new IllegalStateException("no table of commands");
        }
        return commands.find(arguments);
    }

    /// Whether the client's user may run this command.
    public boolean mayRun(Arguments arguments, Client client) {
        CommandEntry entry = find(arguments);
        return entry != null
                && entry.fits(arguments.count())
                && (client.user().mayRunAll() || client.user().denial(entry, arguments) == null);
    }

    /// Runs a command within the section of a script, or replies with the reason why not.
    public void run(Arguments arguments, Client client, Scope scope, Reply reply) {
        CommandEntry entry = find(arguments);
        LoopState loop = client.loop();
        if (entry == null || loop == null) {
            reply.error("ERR Unknown Redis command called from script");
            return;
        }
        String refusal = refusal(entry, loop, arguments, client, scope);
        if (refusal != null) {
            runner.reject(entry, loop, refusal, reply);
            return;
        }
        AtomicSection.claimRows(client, entry, arguments);
        AtomicSection.run(client, NO_MORE_PARTITIONS, () -> runner.runNested(entry, arguments, client, reply));
    }

    private @Nullable String refusal(
            CommandEntry entry, LoopState loop, Arguments arguments, Client client, Scope scope) {
        if (!entry.fits(arguments.count())) {
            return "ERR Wrong number of args calling Redis command from script";
        }
        if ((entry.flags() & REFUSED) != 0 || entry.spec().wholeKeyspace()) {
            return "ERR This Redis command is not allowed from script";
        }
        Denial denial = access.denial(entry, arguments, client, AccessControl.Context.LUA);
        if (denial != null) {
            return denial.errorInScript();
        }
        String badKey = entry.firstKey() == 0 ? null : badKey(entry, arguments, scope);
        return badKey != null || !entry.is(CommandFlag.WRITE)
                ? badKey
                : refusalToWrite(entry, loop, arguments, client, scope);
    }

    private @Nullable String badKey(CommandEntry entry, Arguments arguments, Scope scope) {
        int last = entry.lastKey(arguments.count());
        for (int word = entry.firstKey(); word <= last; word += entry.keyStep()) {
            if (!scope.declares(arguments.key(word))) {
                return "ERR Script attempted to access the key '" + arguments.shown(word)
                        + "', which is not among its KEYS";
            }
        }
        return Dispatcher.badKey(entry, arguments, settings.now().maxKeyBytes());
    }

    private @Nullable String refusalToWrite(
            CommandEntry entry, LoopState loop, Arguments arguments, Client client, Scope scope) {
        if (!scope.write()) {
            return "ERR Write commands are not allowed from read-only scripts.";
        }
        MemoryLevel memory = loop.memory(client, entry.bytes(arguments), settings.now());
        if (memory != MemoryLevel.ROOM && !Dispatcher.fits(memory, entry.flags(), entry, arguments, client)) {
            return CommandRunner.OUT_OF_MEMORY;
        }
        return writeGate.refusal();
    }
}
