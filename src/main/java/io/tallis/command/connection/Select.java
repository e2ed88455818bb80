package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;

/// `SELECT index`: there is database 0 and no other.
final class Select implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (Numbers.signed(arguments, 1) != 0) {
            throw new CommandError("ERR DB index is out of range");
        }
        reply.ok();
    }
}
