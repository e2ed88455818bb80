package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;
import io.tallis.crdt.CounterType;

/// `GCOUNT DEL key...`, `PNCOUNT DEL key...`: takes back all that this node has seen of the counters of one type.
/// Answers how many existed.
final class CountDel implements Command {
    private final CounterType type;

    CountDel(CounterType type) {
        this.type = type;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        AtomicSection.delete(client, arguments, 2, () -> {
            int deleted = 0;
            for (int word = 2; word < arguments.count(); word++) {
                deleted += client.counters().delete(type, arguments.key(word)) ? 1 : 0;
            }
            reply.integer(deleted);
        });
    }
}
