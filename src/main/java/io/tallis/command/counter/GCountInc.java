package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `GCOUNT INC key amount`: adds to this process's shard of a counter that only grows, as far as 2^64-1 reaches.
///
/// Replies `OK` and not the new value: the sum here is one node's view, and a client that decides on it would be
/// wrong during a partition. A client that wants the view asks for it.
final class GCountInc implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        long amount = Amounts.ofGrowth(arguments, 3);
        client.counters().grow(arguments.key(2), amount);
        reply.ok();
    }
}
