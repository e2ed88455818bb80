package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Counters;

/// `MSET key value [key value ...]`: gives several keys values, at once.
final class MSet implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Assignments.require(arguments, "mset");
        Counters counters = client.counters();
        AtomicSection.change(client, arguments, 1, 2, CounterType.PNCOUNT, () -> {
            for (int word = 1; word < arguments.count(); word += 2) {
                Values.requireNoGrowing(arguments.key(word), counters);
            }
            Assignments.apply(arguments, counters);
        });
        reply.ok();
    }
}
