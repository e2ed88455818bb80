package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;

/// `GETEX key [PERSIST]`: as [Get], since counters do not expire; asking for expiry is refused, if there is
/// a key that could expire.
final class GetEx implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        boolean asksForExpiry = arguments.count() == 4 && Expiry.isOption(arguments, 2);
        boolean known = arguments.count() == 2 || (arguments.count() == 3 && arguments.is(2, "PERSIST"));
        if (!known && !asksForExpiry) {
            throw CommandError.syntax();
        }
        if (asksForExpiry && client.counters().exists(arguments.key(1))) {
            throw Expiry.refusal(arguments, 3, "getex");
        }
        Values.answer(arguments.key(1), client, reply);
    }

    @Override
    public void refuseImpossible(Arguments arguments) {
        Expiry.requireNone(arguments, 2);
    }
}
