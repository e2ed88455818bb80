package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `CLIENT GETNAME`: the name that the client gave itself, or nothing.
final class ClientGetName implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (client.name().isEmpty()) {
            reply.nil();
        } else {
            reply.bulk(client.name());
        }
    }
}
