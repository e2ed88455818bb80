package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;

/// `PNCOUNT SET key value`: takes back all that this node has seen of the counter and adds the value, in one
/// change.
///
/// Two nodes that set at the same time add up: neither has seen the other's.
final class PNCountSet implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        long value = Numbers.signed(arguments, 3);
        client.counters().set(arguments.key(2), value);
        reply.ok();
    }
}
