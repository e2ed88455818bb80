package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;

/// `SETNX key value`: gives the key a value if it does not exist, as either type. Answers 1 if it did, else 0.
final class SetNx implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        long value = Numbers.signed(arguments, 2);
        Key key = arguments.key(1);
        Counters counters = client.counters();
        counters.lock(key);
        try {
            boolean known = counters.exists(key);
            if (!known) {
                counters.set(key, value);
            }
            reply.integer(known ? 0 : 1);
        } finally {
            counters.unlock(key);
        }
    }
}
