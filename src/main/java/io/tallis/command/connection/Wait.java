package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;

/// `WAIT numreplicas timeout`: how many other nodes have what this connection wrote. A single node has no others.
final class Wait implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Numbers.signed(arguments, 1);
        if (Numbers.signed(arguments, 2, "ERR timeout is not an integer or out of range") < 0) {
            throw new CommandError("ERR timeout is negative");
        }
        reply.integer(0);
    }
}
