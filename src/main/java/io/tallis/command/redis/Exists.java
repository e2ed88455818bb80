package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `EXISTS key...`, `TOUCH key...`: how many of the keys exist at one moment; one that is named twice counts twice.
final class Exists implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() == 2) {
            answer(arguments, client, reply);
        } else {
            AtomicSection.run(
                    client,
                    AtomicSection.partitionsOf(arguments, 1, 1, client),
                    () -> answer(arguments, client, reply));
        }
    }

    private static void answer(Arguments arguments, Client client, Reply reply) {
        int found = 0;
        for (int word = 1; word < arguments.count(); word++) {
            found += client.lookedUp(client.counters().exists(arguments.key(word))) ? 1 : 0;
        }
        reply.integer(found);
    }
}
