package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandFacts;
import io.tallis.command.CommandSpec;
import io.tallis.command.Reply;
import java.util.List;

/// `COMMAND`: describes all commands.
final class CommandAll implements Command {
    private final CommandFacts facts;

    CommandAll(CommandFacts facts) {
        this.facts = facts;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        send(facts.commands(), reply);
    }

    static void send(List<CommandSpec> commands, Reply reply) {
        reply.array(commands.size());
        commands.forEach(spec -> CommandReply.send(spec, reply));
    }
}
