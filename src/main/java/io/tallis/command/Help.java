package io.tallis.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// `GCOUNT HELP` and the like: what subcommands there are, from the facts.
final class Help implements Command {
    private final CommandSpec container;

    Help(CommandSpec container) {
        this.container = container;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        List<String> lines = lines();
        reply.array(lines.size());
        lines.forEach(reply::status);
    }

    private List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(container.typedName() + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
        for (CommandSpec child : container.subcommands()) {
            lines.add(
                    (child.name().toUpperCase(Locale.ROOT) + " " + child.docs().usage()).strip());
            lines.add("    " + child.docs().summary());
        }
        return lines;
    }
}
