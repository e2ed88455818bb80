package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `TTL key` and its like: -1, never, for a key that exists, else -2.
final class Ttl implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        reply.integer(client.lookedUp(client.counters().exists(arguments.key(1))) ? -1 : -2);
    }
}
