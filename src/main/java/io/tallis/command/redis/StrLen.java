package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;
import io.tallis.keyspace.Key;

/// `STRLEN key`: how many characters `GET` would answer.
final class StrLen implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Key key = arguments.key(1);
        reply.integer(
                switch (Values.typeOf(key, client)) {
                    case PNCOUNT -> Long.toString(client.counters().value()).length();
                    case GCOUNT ->
                        Long.toUnsignedString(client.counters().value()).length();
                    case null -> 0;
                });
    }
}
