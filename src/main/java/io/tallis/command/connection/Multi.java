package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;

/// `MULTI`: from now on commands are queued.
final class Multi implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (client.transaction().isOpen()) {
            throw new CommandError("ERR MULTI calls can not be nested");
        }
        client.transaction().begin();
        reply.ok();
    }
}
