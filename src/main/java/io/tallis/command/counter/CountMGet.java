package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;
import io.tallis.crdt.CounterType;

/// `GCOUNT MGET key...`, `PNCOUNT MGET key...`: what the counters are worth at one moment, 0 for those that do not
/// exist.
final class CountMGet implements Command {
    private final CounterType type;

    CountMGet(CounterType type) {
        this.type = type;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        AtomicSection.run(client, AtomicSection.partitionsOf(arguments, 2, 1, client), () -> {
            reply.array(arguments.count() - 2);
            for (int word = 2; word < arguments.count(); word++) {
                CountGet.answer(type, client, arguments.key(word), reply);
            }
        });
    }
}
