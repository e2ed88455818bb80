package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// `INFO [section ...]`: how the node is doing, for people and for exporters.
///
/// A section that is not known adds nothing, as in Redis.
public final class Info implements Command {
    private final List<InfoSection> sections;

    public Info(List<InfoSection> sections) {
        this.sections = List.copyOf(sections);
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Set<String> asked = new HashSet<>();
        for (int word = 1; word < arguments.count(); word++) {
            asked.add(arguments.text(word).toLowerCase(Locale.ROOT));
        }
        reply.text(text(asked));
    }

    private String text(Set<String> asked) {
        boolean all = asked.contains("all") || asked.contains("everything");
        boolean defaults = asked.isEmpty() || asked.contains("default");
        var fields = new InfoFields();
        for (InfoSection section : sections) {
            if (all || (defaults && section.shownByDefault()) || asked.contains(section.name())) {
                fields.heading(section.name());
                section.tell(fields);
            }
        }
        return fields.toString();
    }
}
