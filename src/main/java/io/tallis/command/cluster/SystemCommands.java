package io.tallis.command.cluster;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Link;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.command.server.KeyspaceDigest;
import io.tallis.command.server.Later;
import io.tallis.keyspace.Keyspace;
import java.util.List;

/// `SYSTEM ...`, what operators ask of the cluster, and `ROLE`.
public final class SystemCommands implements CommandFamily {
    private static final int EVENTS_SHOWN = 64;
    private static final int MOST_EVENTS_SHOWN = 1000;

    private final Cluster cluster;
    private final Keyspace keyspace;
    private final Later later;

    public SystemCommands(Cluster cluster, Keyspace keyspace, Later later) {
        this.cluster = cluster;
        this.keyspace = keyspace;
        this.later = later;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("role", new Role(cluster))
                .add("system|nodes", this::nodes)
                .add("system|forget", this::forget)
                .add("system|ready", this::ready)
                .add("system|digest", this::digest)
                .add("system|getlog", this::log);
    }

    private void nodes(Arguments arguments, Client client, Reply reply) {
        List<Cluster.Node> nodes = cluster.nodes();
        reply.array(nodes.size());
        for (Cluster.Node node : nodes) {
            reply.map(7);
            pair("name", node.name(), reply);
            pair("uuid", node.uuid(), reply);
            pair("address", node.clientAddress(), reply);
            pair("state", node.state(), reply);
            pair("present", node.present(), reply);
            pair("starts", node.starts(), reply);
            pair("session", node.session(), reply);
        }
    }

    private static void pair(String name, String value, Reply reply) {
        reply.bulk(name);
        reply.bulk(value);
    }

    private static void pair(String name, long value, Reply reply) {
        reply.bulk(name);
        reply.integer(value);
    }

    private void forget(Arguments arguments, Client client, Reply reply) {
        String who = arguments.text(2);
        String shown = arguments.shown(2);
        Link.Suspension suspension = client.suspend();
        cluster.forget(
                who,
                outcome -> suspension.resume(answer -> {
                    switch (outcome) {
                        case DONE -> answer.ok();
                        case UNKNOWN -> throw new CommandError("ERR no node is known as '" + shown + "'");
                        case PRESENT ->
                            throw new CommandError("ERR node '" + shown + "' is present, " + whatToForget(who));
                    }
                }));
    }

    /// Who has replaced a node that lost its disk means that one.
    private String whatToForget(String who) {
        List<String> gone = cluster.nodes().stream()
                .filter(node -> node.present() == 0 && node.name().startsWith(who + "-"))
                .map(Cluster.Node::name)
                .toList();
        return gone.isEmpty() ? "stop it first" : "and absent is " + String.join(", ", gone);
    }

    private void ready(Arguments arguments, Client client, Reply reply) {
        Link.Suspension suspension = client.suspend();
        cluster.ready(() -> suspension.resume(Reply::ok));
    }

    /// Looks at all counters, off the event loops.
    private void digest(Arguments arguments, Client client, Reply reply) {
        later.answerOnItsOwn("digest", client, () -> {
            String digest = KeyspaceDigest.of(keyspace);
            long cells = keyspace.cells();
            return answer -> {
                answer.map(2);
                pair("digest", digest, answer);
                pair("cells", cells, answer);
            };
        });
    }

    private void log(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() > 3) {
            throw CommandError.subcommand(arguments);
        }
        List<Cluster.Happening> events = cluster.newest(arguments.count() == 3 ? count(arguments) : EVENTS_SHOWN);
        reply.array(events.size());
        for (Cluster.Happening event : events) {
            reply.map(4);
            pair("time", event.epochMillis(), reply);
            pair("node", event.node(), reply);
            pair("session", event.session(), reply);
            pair("text", event.text(), reply);
        }
    }

    private static int count(Arguments arguments) {
        String expected = "ERR count is not an integer from 1 to " + MOST_EVENTS_SHOWN;
        return Numbers.between(1, MOST_EVENTS_SHOWN, arguments, 2, expected);
    }
}
