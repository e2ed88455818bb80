package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;
import io.tallis.command.Transaction;

/// `WATCH key...`: the next `EXEC` runs nothing if one of these keys changes before it. A merge counts as a change,
/// even one that leaves the value as it is.
final class Watch implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (client.transaction().isOpen()) {
            throw new CommandError("ERR WATCH inside MULTI is not allowed");
        }
        for (int word = 1; word < arguments.count(); word++) {
            if (!client.transaction().watch(arguments.key(word), client.counters())) {
                throw new CommandError("ERR a client watches at most " + Transaction.MOST_WATCHES + " keys, of "
                        + Transaction.MOST_WATCHED_BYTES + " bytes with what is known of them");
            }
        }
        reply.ok();
    }
}
