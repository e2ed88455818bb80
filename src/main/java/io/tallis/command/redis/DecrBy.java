package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;

/// `DECRBY key decrement`: subtracts from the PNCOUNT of the key and answers the new value as this node sees it.
final class DecrBy implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Values.add(arguments.key(1), Numbers.negated(arguments, 2), client.counters(), reply);
    }
}
