package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `OBJECT REFCOUNT key`: what Redis answers, where small numbers are shared by all that have them.
final class ObjectRefCount implements Command {
    private static final long SHARED_BELOW = 10_000;
    private static final int SHARED = Integer.MAX_VALUE;

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (Values.typeOf(arguments.key(2), client) == null) {
            reply.nil();
            return;
        }
        long value = client.counters().value();
        reply.integer(value >= 0 && value < SHARED_BELOW ? SHARED : 1);
    }
}
