package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;

/// `GETDEL key`: deletes the key, both types of it, and answers what it was worth.
final class GetDel implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Key key = arguments.key(1);
        Counters counters = client.counters();
        counters.lock(key);
        try {
            CounterType type = Values.typeOf(key, client);
            long value = type == null ? 0 : counters.value();
            counters.delete(key);
            Values.answer(type, value, reply);
        } finally {
            counters.unlock(key);
        }
    }
}
