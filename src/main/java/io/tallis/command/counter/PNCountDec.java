package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `PNCOUNT DEC key amount`: subtracts from a counter that goes up and down. A negative amount adds.
final class PNCountDec implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        PNCountInc.add(arguments, Amounts.ofDecrement(arguments, 3), client, reply);
    }
}
