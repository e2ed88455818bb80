package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `EXISTS key...`, `TOUCH key...`: how many of the keys exist; one that is named twice counts twice.
final class Exists implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        int found = 0;
        for (int word = 1; word < arguments.count(); word++) {
            found += client.lookedUp(client.counters().exists(arguments.key(word))) ? 1 : 0;
        }
        reply.integer(found);
    }
}
