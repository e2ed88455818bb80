package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Key;
import java.util.Locale;

/// `OBJECT ENCODING key`: which type of counter the key holds; the PNCOUNT when it holds both.
final class ObjectEncoding implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Key key = arguments.key(2);
        CounterType type = Values.typeOf(key, client);
        if (type == null) {
            reply.nil();
        } else {
            reply.bulk(type.name().toLowerCase(Locale.ROOT));
        }
    }
}
