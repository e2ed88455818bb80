package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;
import io.tallis.crdt.CounterType;

/// `GCOUNT MINC key amount [key amount ...]`: adds to several counters that only grow, or to none.
final class GCountMInc implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Amounts.requirePairs(arguments, "gcount|minc");
        for (int word = 3; word < arguments.count(); word += 2) {
            Amounts.ofGrowth(arguments, word);
        }
        AtomicSection.add(client, arguments, 2, 2, CounterType.GCOUNT, () -> {
            for (int word = 2; word < arguments.count(); word += 2) {
                client.counters().grow(arguments.key(word), Amounts.ofGrowth(arguments, word + 1));
            }
        });
        reply.ok();
    }
}
