package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `QUIT`: says goodbye and closes the connection.
final class Quit implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        reply.ok();
        client.link().closeAfterReplies();
    }
}
