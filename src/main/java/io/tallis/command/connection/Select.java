package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;

/// `SELECT index`: there is database 0 and no other.
final class Select implements Command {
    private static final String OUT_OF_RANGE =
            "ERR value is out of range, value must between " + Integer.MIN_VALUE + " and " + Integer.MAX_VALUE;

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        long index = Numbers.signed(arguments, 1);
        if (index != (int) index) {
            throw new CommandError(OUT_OF_RANGE);
        }
        if (index != 0) {
            throw new CommandError("ERR DB index is out of range");
        }
        reply.ok();
    }
}
