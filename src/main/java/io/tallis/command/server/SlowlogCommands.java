package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.command.clients.SlowLog;
import java.util.List;

/// `SLOWLOG`: the latest slow commands.
public final class SlowlogCommands implements CommandFamily {
    private static final int SHOWN = 10;

    private final SlowLog log;

    public SlowlogCommands(SlowLog log) {
        this.log = log;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("slowlog|get", this::get)
                .add("slowlog|len", (_, _, reply) -> reply.integer(log.length()))
                .add("slowlog|reset", (_, _, reply) -> {
                    log.clear();
                    reply.ok();
                });
    }

    private void get(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() > 3) {
            throw CommandError.subcommand(arguments);
        }
        List<SlowLog.Entry> entries = log.newest(arguments.count() == 3 ? count(arguments) : SHOWN);
        reply.array(entries.size());
        for (SlowLog.Entry entry : entries) {
            reply.array(6);
            reply.integer(entry.id());
            reply.integer(entry.epochSeconds());
            reply.integer(entry.micros());
            reply.array(entry.words().size());
            entry.words().forEach(reply::bulk);
            reply.bulk(entry.address());
            reply.bulk(entry.clientName());
        }
    }

    /// The number of entries to reply; -1 means all.
    private static int count(Arguments arguments) {
        String expected = "ERR count should be greater than or equal to -1";
        long count = Numbers.signed(arguments, 2, expected);
        if (count < -1) {
            throw new CommandError(expected);
        }
        return count == -1 ? Integer.MAX_VALUE : (int) Math.min(count, Integer.MAX_VALUE);
    }
}
