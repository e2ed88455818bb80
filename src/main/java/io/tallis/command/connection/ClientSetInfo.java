package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;

/// `CLIENT SETINFO LIB-NAME name`, `CLIENT SETINFO LIB-VER version`: says which library the client uses.
final class ClientSetInfo implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (arguments.is(2, "LIB-NAME")) {
            client.libraryName(ClientNames.require(arguments, 3, "lib-name"));
        } else if (arguments.is(2, "LIB-VER")) {
            client.libraryVersion(ClientNames.require(arguments, 3, "lib-ver"));
        } else {
            throw new CommandError("ERR Unrecognized option '" + arguments.shown(2) + "'");
        }
        reply.ok();
    }
}
