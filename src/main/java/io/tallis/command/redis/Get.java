package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `GET key`: the digits of what the key is worth.
final class Get implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Values.answer(arguments.key(1), client, reply);
    }
}
