package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `PERSIST key`: 0, since no key expires.
final class Persist implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        reply.integer(0);
    }
}
