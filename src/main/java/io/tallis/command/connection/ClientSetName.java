package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `CLIENT SETNAME name`: gives the connection a name that operators see; an empty one takes it away.
final class ClientSetName implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        client.name(ClientNames.name(arguments, 2));
        reply.ok();
    }
}
