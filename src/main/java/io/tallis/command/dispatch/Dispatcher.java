package io.tallis.command.dispatch;

import io.tallis.acl.AccessControl;
import io.tallis.acl.AccessControl.Context;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandEntry;
import io.tallis.command.CommandSettings;
import io.tallis.command.Denial;
import io.tallis.command.LoopState;
import io.tallis.command.MemoryLevel;
import io.tallis.command.Reply;
import io.tallis.command.Tracker;
import io.tallis.command.Transaction;
import io.tallis.command.clients.CoarseTime;
import io.tallis.command.clients.Pauses;
import io.tallis.command.facts.CommandFlag;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Capacity;
import io.tallis.keyspace.Key;
import io.tallis.runtime.Live;
import org.jspecify.annotations.Nullable;

/// The entry point of every request: finds its command, checks whether it may run, then runs it, queues it in a
/// transaction, or replies with the reason why not.
///
/// The checks are in Redis's order, because the order decides which of several errors a client sees. Any event loop may
/// call, for its own clients.
public final class Dispatcher implements RequestHandler {
    /// The bit by which letters in lower case differ.
    private static final int LOWER_CASE = 0x20;

    private final CommandTable table;
    private final CommandRunner runner;
    private final AccessControl access;
    private final Live<CommandSettings> settings;
    private final LoadState loadState;
    private final WriteGate writeGate;
    private final CoarseTime time;
    private final Pauses pauses;
    private final LoopStates loops;

    public Dispatcher(
            CommandTable table,
            CommandRunner runner,
            AccessControl access,
            Live<CommandSettings> settings,
            LoadState loadState,
            WriteGate writeGate,
            CoarseTime time,
            Pauses pauses,
            LoopStates loops) {
        this.table = table;
        this.runner = runner;
        this.access = access;
        this.settings = settings;
        this.loadState = loadState;
        this.writeGate = writeGate;
        this.time = time;
        this.pauses = pauses;
        this.loops = loops;
    }

    @Override
    public void begins(Client client) {
        client.foundLoading(loadState.loading());
    }

    @Override
    public void handle(Arguments arguments, Client client, Reply reply) {
        Reply answer = client.answerTo(reply);
        CommandEntry entry = table.find(arguments);
        if (entry == null) {
            unknown(arguments, client, answer);
            return;
        }
        handle(entry, arguments, client, answer);
    }

    private void handle(CommandEntry entry, Arguments arguments, Client client, Reply answer) {
        LoopState loop = loops.of(client);
        client.began(entry.spec(), time.nanos());
        String refusal = refusal(entry, loop, arguments, client);
        if (refusal != null) {
            refuse(entry, loop, refusal, client, answer);
        } else if (pauses.any() && pauses.holds(entry, client)) {
            pauses.hold(entry, arguments, client, (words, reply) -> handle(entry, words, client, reply));
            return;
        } else if (client.transaction().isOpen() && !entry.actsInTransaction()) {
            queue(entry, loop, arguments, client, answer);
        } else {
            runner.run(entry, loop, arguments, client, answer);
            loops.tell(loop, client);
        }
        Tracker tracker = client.tracker();
        if (tracker != null) {
            tracker.afterRequest(entry);
        }
    }

    /// The first key follows the command's name, or the subcommand of `GCOUNT` and `PNCOUNT`.
    @Override
    public int probableKey(Arguments arguments) {
        if (arguments.count() < 2) {
            return 0;
        }
        boolean ownCommand = arguments.is(0, "PNCOUNT") || arguments.is(0, "GCOUNT") || arguments.is(0, "HCOUNT");
        return ownCommand && arguments.count() > 2 ? 2 : 1;
    }

    /// The names of all commands for fields begin with an H, and those of few others.
    @Override
    public int probableField(Arguments arguments) {
        if (arguments.length(0) == 0 || (arguments.array()[arguments.offset(0)] | LOWER_CASE) != 'h') {
            return 0;
        }
        int field = probableKey(arguments) + 1;
        return field < arguments.count() ? field : 0;
    }

    private void unknown(Arguments arguments, Client client, Reply reply) {
        client.transaction().refused();
        runner.rejectUnknown(UnknownCommand.text(arguments, table.knows(arguments)), reply);
    }

    /// The error that the request must be answered with; null when the command may run.
    private @Nullable String refusal(CommandEntry entry, LoopState loop, Arguments arguments, Client client) {
        if (!entry.fits(arguments.count())) {
            return "ERR wrong number of arguments for '" + entry.spec().fullName() + "' command";
        }
        if (!client.authenticated() && access.needsPassword() && !entry.is(CommandFlag.NO_AUTH)) {
            return "NOAUTH Authentication required.";
        }
        String denied = client.user().mayRunAll() ? null : denied(entry, arguments, client);
        if (denied != null) {
            return denied;
        }
        CommandSettings now = settings.now();
        loop.adopt(now);
        int flags = entry.flags() | (entry.executes() ? client.transaction().flags() : 0);
        if (CommandFlag.WRITE.in(flags)) {
            long bytes = entry.executes() ? client.transaction().bytes() : entry.bytes(arguments);
            MemoryLevel memory = loop.memory(client, bytes, now);
            if (memory != MemoryLevel.ROOM && !fits(memory, flags, entry, arguments, client)) {
                return CommandRunner.OUT_OF_MEMORY;
            }
            String refusal = writeGate.refusal();
            if (refusal != null) {
                return refusal;
            }
        }
        if (client.onlySubscribes() && !entry.concernsSubscriptions()) {
            return "ERR Can't execute '" + entry.spec().fullName()
                    + "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context";
        }
        if (client.foundLoading() && !entry.is(CommandFlag.LOADING)) {
            return "LOADING " + loadState.text();
        }
        return entry.firstKey() == 0 ? null : badKey(entry, arguments, now.maxKeyBytes());
    }

    private @Nullable String denied(CommandEntry entry, Arguments arguments, Client client) {
        Context context = client.transaction().isOpen() ? Context.MULTI : Context.TOPLEVEL;
        Denial denial = access.denial(entry, arguments, client, context);
        return denial == null ? null : denial.error();
    }

    /// Whether a command may run though memory is full. At level `FULL` it may change one counter that has a cell, even
    /// that of a deleted counter, unless it makes a long text of it. At level `SPENT` it may only add to one counter in
    /// which this process has a shard.
    static boolean fits(MemoryLevel memory, int flags, CommandEntry entry, Arguments arguments, Client client) {
        boolean adds = CommandFlag.DENYOOM.in(flags);
        if (memory == MemoryLevel.FULL && !adds) {
            return true;
        }
        int key = entry.firstKey();
        if (!adds || key == 0 || entry.lastKey(arguments.count()) != key || entry.hasToken(arguments)) {
            return false;
        }
        Capacity capacity = client.counters().capacity();
        boolean isField = entry.firstField() > 0;
        if (isField && !entry.changesOneField(arguments)) {
            return false;
        }
        CounterType type = isField ? CounterType.FIELD : entry.changes();
        Key changed = isField ? entry.field(arguments, entry.firstField(), client) : arguments.key(key);
        return memory == MemoryLevel.FULL
                ? !entry.mayTakeMuch(arguments) && capacity.hasCell(type, changed)
                : entry.onlyAdds() && capacity.hasOwnShard(type, changed);
    }

    static @Nullable String badKey(CommandEntry entry, Arguments arguments, int mostBytes) {
        int last = entry.lastKey(arguments.count());
        for (int word = entry.firstKey(); word <= last; word += entry.keyStep()) {
            int length = arguments.length(word);
            if (length == 0 || length > mostBytes) {
                return "ERR the key has " + length + " bytes, expected 1 to " + mostBytes + " (max-key-length)";
            }
        }
        return null;
    }

    private void refuse(CommandEntry entry, LoopState loop, String text, Client client, Reply reply) {
        if (!entry.executes()) {
            client.transaction().refused();
            runner.reject(entry, loop, text, reply);
            return;
        }
        client.transaction().end();
        String reason = text.startsWith("ERR ") ? text.substring("ERR ".length()) : text;
        runner.reject(entry, loop, "EXECABORT Transaction discarded because of: " + reason, reply);
    }

    private void queue(CommandEntry entry, LoopState loop, Arguments arguments, Client client, Reply reply) {
        if (entry.is(CommandFlag.NO_MULTI)) {
            refuse(entry, loop, "ERR Command not allowed inside a transaction", client, reply);
        } else if (!client.transaction().queue(entry, arguments)) {
            String text = "ERR a transaction is limited to " + Transaction.MOST_COMMANDS + " commands and "
                    + Transaction.MOST_BYTES + " bytes";
            refuse(entry, loop, text, client, reply);
        } else {
            reply.status("QUEUED");
        }
    }
}
