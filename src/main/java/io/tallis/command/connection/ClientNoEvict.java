package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `CLIENT NO-EVICT ON|OFF`: exempts the client from being closed when all clients together take too much memory.
final class ClientNoEvict implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        client.noEvict(OnOff.isOn(arguments, 2));
        reply.ok();
    }
}
