package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `DBSIZE`: how many keys there are.
final class DbSize implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        reply.integer(client.counters().keyspace().keys());
    }
}
