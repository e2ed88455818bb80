package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;

/// `CLIENT UNBLOCK client-id [TIMEOUT | ERROR]`: 0, since no client ever waits for a key, and
/// one that waits for other nodes is left waiting.
final class ClientUnblock implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() > 4) {
            throw CommandError.subcommand(arguments);
        }
        if (arguments.count() == 4 && !isReason(arguments)) {
            throw new CommandError("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
        }
        Numbers.signed(arguments, 2);
        reply.integer(0);
    }

    private static boolean isReason(Arguments arguments) {
        return arguments.is(3, "TIMEOUT") || arguments.is(3, "ERROR");
    }
}
