package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;

/// `DISCARD`: forgets the queued commands and the watched keys.
final class Discard implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (!client.transaction().isOpen()) {
            throw new CommandError("ERR DISCARD without MULTI");
        }
        client.transaction().end();
        reply.ok();
    }
}
