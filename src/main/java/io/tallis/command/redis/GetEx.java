package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;

/// `GETEX key [PERSIST]`: as [Get], since counters do not expire; asking for expiry is refused.
final class GetEx implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        for (int word = 2; word < arguments.count(); word++) {
            if (!arguments.is(word, "PERSIST")) {
                throw new CommandError(Expiry.isOption(arguments, word) ? Values.NO_EXPIRY : Values.SYNTAX);
            }
        }
        Values.answer(arguments.key(1), client.counters(), reply);
    }
}
