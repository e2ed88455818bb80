package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;

/// `INCRBY key increment`: adds to the PNCOUNT of the key and answers the new value as this node sees it.
final class IncrBy implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        long delta = Numbers.signed(arguments, 2);
        Values.add(arguments.key(1), delta, client.counters(), reply);
    }
}
