package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;

/// `EXPIRE key seconds [NX | XX | GT | LT]` and its like: refused, whether the key exists or not.
final class Expire implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        refuseImpossible(arguments);
    }

    @Override
    public void refuseImpossible(Arguments arguments) {
        for (int word = 3; word < arguments.count(); word++) {
            if (!isCondition(arguments, word)) {
                throw new CommandError("ERR Unsupported option " + arguments.shown(word));
            }
        }
        Numbers.signed(arguments, 2);
        throw new CommandError(Expiry.NOT_SUPPORTED);
    }

    private static boolean isCondition(Arguments arguments, int word) {
        return arguments.is(word, "NX")
                || arguments.is(word, "XX")
                || arguments.is(word, "GT")
                || arguments.is(word, "LT");
    }
}
