package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `UNWATCH`: watches no key any more.
final class Unwatch implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        client.transaction().unwatch();
        reply.ok();
    }
}
