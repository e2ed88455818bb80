package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;
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
            Values.answer(key, client, reply);
            counters.delete(key);
        } finally {
            counters.unlock(key);
        }
    }
}
