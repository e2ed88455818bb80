package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Reply;

/// Commands about features that this server does not have, answered so that clients and tools go on without them.
///
/// The commands that clear or list functions and modules reply as a Redis that has none; the commands that would load
/// or call a function are not registered, and refused by the dispatcher.
public final class AbsentFeatures implements CommandFamily {
    @Override
    public void addTo(CommandSet commands) {
        commands.add("module|list", (_, _, reply) -> reply.array(0));
        commands.add("function|flush", AbsentFeatures::flush);
        commands.add("function|list", (_, _, reply) -> reply.array(0));
        commands.add("function|stats", AbsentFeatures::functionStats);
    }

    /// `FUNCTION FLUSH [ASYNC | SYNC]`: there is nothing to clear.
    private static void flush(Arguments arguments, Client client, Reply reply) {
        boolean modeIsValid = arguments.count() == 2
                || (arguments.count() == 3 && (arguments.is(2, "ASYNC") || arguments.is(2, "SYNC")));
        if (!modeIsValid) {
            throw new CommandError("ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
        }
        reply.ok();
    }

    /// `FUNCTION STATS`: as Redis replies while no script runs, with no engine.
    private static void functionStats(Arguments arguments, Client client, Reply reply) {
        reply.map(2);
        reply.bulk("running_script");
        reply.nil();
        reply.bulk("engines");
        reply.map(0);
    }
}
