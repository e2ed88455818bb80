package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;

/// `PING [message]`: shows that the server is there. A client of RESP2 with subscriptions gets an array, so that it
/// can tell the answer from a message.
final class Ping implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() > 2) {
            throw new CommandError("ERR wrong number of arguments for 'ping' command");
        }
        if (client.onlySubscribes()) {
            reply.array(2);
            reply.bulk("pong");
            reply.bulk(arguments.count() == 2 ? arguments.bytes(1) : new byte[0]);
        } else if (arguments.count() == 2) {
            reply.bulk(arguments.array(), arguments.offset(1), arguments.length(1));
        } else {
            reply.status("PONG");
        }
    }
}
