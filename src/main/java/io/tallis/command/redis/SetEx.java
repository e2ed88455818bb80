package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `SETEX key seconds value` and `PSETEX`: refused.
final class SetEx implements Command {
    private final String name;

    SetEx(String name) {
        this.name = name;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        refuseImpossible(arguments);
    }

    @Override
    public void refuseImpossible(Arguments arguments) {
        throw Expiry.refusal(arguments, 2, name);
    }
}
