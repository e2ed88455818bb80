package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFacts;
import io.tallis.command.CommandSpec;
import io.tallis.command.Glob;
import io.tallis.command.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/// `COMMAND LIST [FILTERBY MODULE name | ACLCAT category | PATTERN pattern]`: the names of commands and of
/// their subcommands.
final class CommandList implements Command {
    private final CommandFacts facts;

    CommandList(CommandFacts facts) {
        this.facts = facts;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Predicate<CommandSpec> filter = arguments.count() > 2 ? filter(arguments) : _ -> true;
        List<CommandSpec> found = facts.all().stream().filter(filter).toList();
        reply.array(found.size());
        found.forEach(spec -> reply.bulk(spec.fullName()));
    }

    private static Predicate<CommandSpec> filter(Arguments arguments) {
        if (arguments.count() == 5 && arguments.is(2, "FILTERBY")) {
            if (arguments.is(3, "MODULE")) {
                return _ -> false;
            }
            if (arguments.is(3, "ACLCAT")) {
                String category = "@" + arguments.text(4).toLowerCase(Locale.ROOT);
                return spec -> CommandReply.categories(spec).contains(category);
            }
            if (arguments.is(3, "PATTERN")) {
                Glob pattern =
                        new Glob(arguments.text(4).toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8));
                return spec -> pattern.matches(spec.fullName().getBytes(StandardCharsets.US_ASCII));
            }
        }
        throw CommandError.syntax();
    }
}
