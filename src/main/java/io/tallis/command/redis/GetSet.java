package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;

/// `GETSET key value`: gives the PNCOUNT of the key a value and answers the old one.
final class GetSet implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        long value = Numbers.signed(arguments, 2);
        Key key = arguments.key(1);
        Counters counters = client.counters();
        counters.lock(key);
        try {
            boolean known = client.lookedUp(Values.requireNoGrowing(key, counters));
            long old = counters.value();
            counters.set(key, value);
            if (known) {
                reply.digits(old);
            } else {
                reply.nil();
            }
        } finally {
            counters.unlock(key);
        }
    }
}
