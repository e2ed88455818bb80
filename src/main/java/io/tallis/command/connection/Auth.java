package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;

/// `AUTH [username] password`: says who the client is.
final class Auth implements Command {
    private final Authentication authentication;

    Auth(Authentication authentication) {
        this.authentication = authentication;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        switch (arguments.count()) {
            case 2 -> authentication.withPassword(arguments, 1, client);
            case 3 -> authentication.asUser(arguments, 1, 2, client);
            default -> throw CommandError.syntax();
        }
        reply.ok();
    }
}
