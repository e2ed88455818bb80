package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandFacts;
import io.tallis.command.CommandSpec;
import io.tallis.command.Reply;

/// `COMMAND INFO [command-name...]`: describes some commands, or all.
final class CommandInfo implements Command {
    private final CommandFacts facts;

    CommandInfo(CommandFacts facts) {
        this.facts = facts;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() == 2) {
            CommandAll.send(facts.commands(), reply);
            return;
        }
        reply.array(arguments.count() - 2);
        for (int word = 2; word < arguments.count(); word++) {
            CommandSpec spec = facts.find(arguments.text(word));
            if (spec == null) {
                reply.nil();
            } else {
                CommandReply.send(spec, reply);
            }
        }
    }
}
