package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;
import io.tallis.command.ReplyMode;

/// `CLIENT REPLY ON|OFF|SKIP`: says whether the client wants answers. Only `ON` is answered.
final class ClientReply implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (arguments.is(2, "ON")) {
            client.replyMode(ReplyMode.ON);
            client.aloud(reply).ok();
        } else if (arguments.is(2, "OFF")) {
            client.replyMode(ReplyMode.OFF);
        } else if (arguments.is(2, "SKIP")) {
            skipNext(client);
        } else {
            throw CommandError.syntax();
        }
    }

    private static void skipNext(Client client) {
        if (client.replyMode() == ReplyMode.ON) {
            client.replyMode(ReplyMode.SKIP_NEXT);
        }
    }
}
