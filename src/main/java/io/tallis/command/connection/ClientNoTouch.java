package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `CLIENT NO-TOUCH ON|OFF`: noted and shown; the use of keys is never noted.
final class ClientNoTouch implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        client.noTouch(OnOff.isOn(arguments, 2));
        reply.ok();
    }
}
