package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;

/// `STRLEN key`: how many characters `GET` would answer.
final class StrLen implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Key key = arguments.key(1);
        Counters counters = client.counters();
        if (counters.read(CounterType.PNCOUNT, key)) {
            reply.integer(Long.toString(counters.value()).length());
        } else if (counters.read(CounterType.GCOUNT, key)) {
            reply.integer(Long.toUnsignedString(counters.value()).length());
        } else {
            reply.integer(0);
        }
    }
}
