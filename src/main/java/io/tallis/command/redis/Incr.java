package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `INCR key`, `DECR key`: adds 1 or -1 to the PNCOUNT of the key and answers the new value as this node sees it.
final class Incr implements Command {
    private final int delta;

    Incr(int delta) {
        this.delta = delta;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Values.add(arguments.key(1), delta, client.counters(), reply);
    }
}
