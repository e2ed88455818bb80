package io.tallis.command;

import io.tallis.keyspace.Capacity;
import io.tallis.keyspace.Counters;
import io.tallis.runtime.Live;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Takes every request, finds its command, and answers what speaks against running it; else has it run or queued.
///
/// The order of the checks is Redis's, since it decides which error a client sees. Any event loop may call, each
/// for its own clients.
public final class Dispatcher implements RequestHandler {
    private final CommandTable table;
    private final CommandRunner runner;
    private final Live<CommandSettings> settings;
    private final LoadState loadState;
    private final WriteGate writeGate;
    private final CoarseTime time;
    private final Map<Counters, Lane> lanes = new ConcurrentHashMap<>();

    public Dispatcher(
            CommandTable table,
            CommandRunner runner,
            Live<CommandSettings> settings,
            LoadState loadState,
            WriteGate writeGate,
            CoarseTime time) {
        this.table = table;
        this.runner = runner;
        this.settings = settings;
        this.loadState = loadState;
        this.writeGate = writeGate;
        this.time = time;
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
        Lane lane = lane(client);
        client.said(entry, time.nanos());
        String refusal = refusal(entry, lane, arguments, client);
        if (refusal != null) {
            refuse(entry, lane, refusal, client, answer);
        } else if (client.transaction().isOpen() && !entry.actsInTransaction()) {
            queue(entry, lane, arguments, client, answer);
        } else {
            runner.run(entry, lane, arguments, client, answer);
        }
    }

    /// Most requests have their first key behind the command, those of our own behind the subcommand.
    @Override
    public int probableKey(Arguments arguments) {
        if (arguments.count() < 2) {
            return 0;
        }
        boolean ownCommand = arguments.is(0, "PNCOUNT") || arguments.is(0, "GCOUNT");
        return ownCommand && arguments.count() > 2 ? 2 : 1;
    }

    private void unknown(Arguments arguments, Client client, Reply reply) {
        client.transaction().refused();
        boolean subcommand = table.knows(arguments);
        String text = subcommand ? UnknownCommand.subcommandText(arguments) : UnknownCommand.text(arguments);
        runner.rejectUnknown(text, reply);
    }

    private Lane lane(Client client) {
        Lane lane = client.lane();
        if (lane == null) {
            lane = lanes.computeIfAbsent(client.counters(), _ -> runner.newLane());
            client.lane(lane);
        }
        return lane;
    }

    /// What speaks against the command; null when nothing does.
    private @Nullable String refusal(CommandEntry entry, Lane lane, Arguments arguments, Client client) {
        if (!entry.fits(arguments.count())) {
            return "ERR wrong number of arguments for '" + entry.spec().fullName() + "' command";
        }
        CommandSettings now = settings.now();
        if (!client.mayAct(!now.password().isEmpty()) && !entry.is(CommandFlag.NO_AUTH)) {
            return "NOAUTH Authentication required.";
        }
        lane.adopt(now);
        int flags = entry.flags() | (entry.executes() ? client.transaction().flags() : 0);
        if (CommandFlag.WRITE.in(flags)) {
            long bytes = entry.executes() ? client.transaction().bytes() : arguments.bytes();
            MemoryLevel memory = lane.memory(client, bytes, now);
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

    /// Whether a change may be made in a memory that is full: of one counter that is there, or was and has left its
    /// cell; and when nothing is left, to one that this process has counted already, if it only adds.
    private static boolean fits(MemoryLevel memory, int flags, CommandEntry entry, Arguments arguments, Client client) {
        boolean adds = CommandFlag.DENYOOM.in(flags);
        if (memory == MemoryLevel.FULL && !adds) {
            return true;
        }
        int key = entry.firstKey();
        if (!adds || key == 0 || entry.lastKey(arguments.count()) != key) {
            return false;
        }
        Capacity capacity = client.counters().capacity();
        return memory == MemoryLevel.FULL
                ? capacity.hasCell(entry.changes(), arguments.key(key))
                : entry.onlyAdds() && capacity.hasOwnShard(entry.changes(), arguments.key(key));
    }

    private static @Nullable String badKey(CommandEntry entry, Arguments arguments, int mostBytes) {
        int last = entry.lastKey(arguments.count());
        for (int word = entry.firstKey(); word <= last; word += entry.keyStep()) {
            int length = arguments.length(word);
            if (length == 0 || length > mostBytes) {
                return "ERR a key has 1 to " + mostBytes + " bytes by max-key-length, not " + length;
            }
        }
        return null;
    }

    private void refuse(CommandEntry entry, Lane lane, String text, Client client, Reply reply) {
        if (!entry.executes()) {
            client.transaction().refused();
            runner.reject(entry, lane, text, reply);
            return;
        }
        client.transaction().end();
        String reason = text.startsWith("ERR ") ? text.substring("ERR ".length()) : text;
        runner.reject(entry, lane, "EXECABORT Transaction discarded because of: " + reason, reply);
    }

    /// Why the command is not queued, null when it may be.
    private static @Nullable String refusalToQueue(CommandEntry entry, Arguments arguments) {
        if (entry.is(CommandFlag.NO_MULTI)) {
            return "ERR Command not allowed inside a transaction";
        }
        try {
            entry.command().refuseImpossible(arguments);
            return null;
        } catch (CommandError error) {
            return error.text();
        }
    }

    private void queue(CommandEntry entry, Lane lane, Arguments arguments, Client client, Reply reply) {
        String refusal = refusalToQueue(entry, arguments);
        if (refusal != null) {
            refuse(entry, lane, refusal, client, reply);
        } else if (!client.transaction().queue(entry, arguments)) {
            String text = "ERR a transaction has at most " + Transaction.MOST_COMMANDS + " commands and "
                    + Transaction.MOST_BYTES + " bytes";
            refuse(entry, lane, text, client, reply);
        } else {
            reply.status("QUEUED");
        }
    }
}
