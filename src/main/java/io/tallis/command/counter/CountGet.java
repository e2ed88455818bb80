package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;

/// `GCOUNT GET key`, `PNCOUNT GET key`: what the counter is worth as this node sees it, 0 when there is none.
final class CountGet implements Command {
    private final CounterType type;

    CountGet(CounterType type) {
        this.type = type;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        answer(type, client, arguments.key(2), reply);
    }

    static void answer(CounterType type, Client client, Key key, Reply reply) {
        Counters counters = client.counters();
        long value = client.lookedUp(counters.read(type, key)) ? counters.value() : 0;
        switch (type) {
            case GCOUNT -> reply.unsigned(value);
            case PNCOUNT -> reply.integer(value);
        }
    }
}
