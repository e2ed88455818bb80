package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Reply;
import io.tallis.command.clients.Monitors;
import io.tallis.runtime.Clock;
import java.util.List;

/// `INFO`, `TIME` and `MONITOR`.
public final class NodeCommands implements CommandFamily {
    private final Info info;
    private final Clock clock;
    private final Monitors monitors;

    public NodeCommands(List<InfoSection> sections, Clock clock, Monitors monitors) {
        this.info = new Info(sections);
        this.clock = clock;
        this.monitors = monitors;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("info", info).add("time", this::time).add("monitor", this::monitor);
    }

    private void time(Arguments arguments, Client client, Reply reply) {
        long micros = clock.epochMicros();
        reply.array(2);
        reply.bulk(Long.toString(micros / 1_000_000));
        reply.bulk(Long.toString(micros % 1_000_000));
    }

    private void monitor(Arguments arguments, Client client, Reply reply) {
        if (!client.monitoring()) {
            monitors.add(client);
        }
        reply.ok();
    }
}
