package io.tallis.command.slots;

import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;

/// The commands of Redis Cluster at ports for other clients: refused with the text by which clients recognise a server
/// without it.
public final class SlotRefusals implements CommandFamily {
    @Override
    public void addTo(CommandSet commands) {
        Command refused = (_, _, _) -> {
            throw new CommandError("ERR This instance has cluster support disabled");
        };
        commands.facts().all().stream()
                .filter(spec -> spec.docs().group().equals("cluster"))
                .filter(spec -> spec.subcommands().isEmpty())
                .forEach(spec -> commands.add(spec.fullName(), refused));
    }
}
