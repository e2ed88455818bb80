package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `ECHO message`: answers the message, byte by byte.
final class Echo implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        reply.bulk(arguments.array(), arguments.offset(1), arguments.length(1));
    }
}
