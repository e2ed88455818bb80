package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;

/// What clients of Redis Cluster ask, refused in the words by which they know that this is none.
final class NoCluster implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        throw new CommandError("ERR This instance has cluster support disabled");
    }
}
