package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `MGET key...`: what the keys are worth at one moment.
final class MGet implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        AtomicSection.run(client, AtomicSection.partitionsOf(arguments, 1, 1, client), () -> {
            reply.array(arguments.count() - 1);
            for (int word = 1; word < arguments.count(); word++) {
                Values.answer(arguments.key(word), client, reply);
            }
        });
    }
}
