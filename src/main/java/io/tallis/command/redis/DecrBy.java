package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;

/// `DECRBY key decrement`: subtracts from the PNCOUNT of the key and answers the new value as this node sees it.
final class DecrBy implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        long decrement = Numbers.signed(arguments, 2);
        if (decrement == Long.MIN_VALUE) {
            throw new CommandError("ERR decrement would overflow");
        }
        Values.add(arguments.key(1), -decrement, client.counters(), reply);
    }
}
