package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;

/// `PNCOUNT INC key amount`: adds to this process's shard of a counter that goes up and down. A negative amount
/// subtracts; 0 changes nothing.
///
/// Replies `OK` and not the new value, as [GCountInc] does and for its reason.
final class PNCountInc implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        add(arguments, Amounts.ofIncrement(arguments, 3), client, reply);
    }

    static void add(Arguments arguments, long delta, Client client, Reply reply) {
        if (!client.counters().add(arguments.key(2), delta)) {
            throw CommandError.overflow();
        }
        reply.ok();
    }
}
