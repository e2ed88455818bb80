package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandFacts;
import io.tallis.command.Reply;

/// `COMMAND COUNT`: how many commands there are, subcommands not counted.
final class CommandCount implements Command {
    private final CommandFacts facts;

    CommandCount(CommandFacts facts) {
        this.facts = facts;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        reply.integer(facts.commands().size());
    }
}
