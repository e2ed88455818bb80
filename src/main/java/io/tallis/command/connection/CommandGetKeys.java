package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFacts;
import io.tallis.command.CommandSpec;
import io.tallis.command.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `COMMAND GETKEYS command [arg...]`: which words of a request are keys; `GETKEYSANDFLAGS` says also what happens
/// to them.
final class CommandGetKeys implements Command {
    /// Where the request that is asked about begins.
    private static final int FIRST = 2;

    private final CommandFacts facts;
    private final boolean withFlags;

    CommandGetKeys(CommandFacts facts, boolean withFlags) {
        this.facts = facts;
        this.withFlags = withFlags;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        CommandSpec spec = find(arguments);
        int words = arguments.count() - FIRST;
        if (spec == null) {
            throw new CommandError("ERR Invalid command specified");
        }
        if (spec.keys().first() == 0) {
            throw new CommandError("ERR The command has no key arguments");
        }
        if (spec.arity() >= 0 ? words != spec.arity() : words < -spec.arity()) {
            throw new CommandError("ERR Invalid number of arguments specified for command");
        }
        List<byte[]> keys = keys(spec, arguments, words);
        reply.array(keys.size());
        keys.forEach(key -> send(key, spec, reply));
    }

    private @Nullable CommandSpec find(Arguments arguments) {
        CommandSpec command = facts.find(arguments.text(FIRST));
        if (command == null || command.subcommands().isEmpty() || arguments.count() == FIRST + 1) {
            return command;
        }
        return facts.find(command.fullName() + "|" + arguments.text(FIRST + 1));
    }

    private static List<byte[]> keys(CommandSpec spec, Arguments arguments, int words) {
        List<byte[]> keys = new ArrayList<>();
        int last = spec.keys().last();
        int end = last < 0 ? words + last : last;
        for (int word = spec.keys().first(); word <= end; word += spec.keys().step()) {
            keys.add(arguments.bytes(FIRST + word));
        }
        return keys;
    }

    private void send(byte[] key, CommandSpec spec, Reply reply) {
        if (!withFlags) {
            reply.bulk(key);
            return;
        }
        List<String> flags = CommandReply.keyFlags(spec);
        reply.array(2);
        reply.bulk(key);
        reply.set(flags.size());
        flags.forEach(reply::status);
    }
}
