package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `TYPE key`: `string` for either counter, which is what clients and tools have code for, or `none`.
final class Type implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        reply.status(client.lookedUp(client.counters().exists(arguments.key(1))) ? "string" : "none");
    }
}
