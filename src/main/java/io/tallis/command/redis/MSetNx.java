package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Counters;

/// `MSETNX key value [key value ...]`: gives several keys values, at once, if none of them exists as either type.
/// Answers 1 if it did, else 0.
final class MSetNx implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Assignments.require(arguments, "msetnx");
        Counters counters = client.counters();
        AtomicSection.change(client, arguments, 1, 2, CounterType.PNCOUNT, () -> {
            boolean known = anyExists(arguments, counters);
            if (!known) {
                Assignments.apply(arguments, counters);
            }
            reply.integer(known ? 0 : 1);
        });
    }

    private static boolean anyExists(Arguments arguments, Counters counters) {
        for (int word = 1; word < arguments.count(); word += 2) {
            if (counters.exists(arguments.key(word))) {
                return true;
            }
        }
        return false;
    }
}
