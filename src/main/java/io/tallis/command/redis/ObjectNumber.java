package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `OBJECT IDLETIME key`: the same number for every key that exists.
final class ObjectNumber implements Command {
    private final int number;

    ObjectNumber(int number) {
        this.number = number;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (client.lookedUp(client.counters().exists(arguments.key(2)))) {
            reply.integer(number);
        } else {
            reply.nil();
        }
    }
}
