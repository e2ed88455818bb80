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
import java.time.Duration;
import java.util.List;

/// `SYSTEM`, `ROLE` and `WAIT`: the commands about the other nodes.
public final class SystemCommands implements CommandFamily {
    private static final int EVENTS_SHOWN = 64;
    private static final int MOST_EVENTS_SHOWN = 1000;

    private final Cluster cluster;
    private final Peers peers;
    private final Keyspace keyspace;
    private final Later later;

    public SystemCommands(Cluster cluster, Peers peers, Keyspace keyspace, Later later) {
        this.cluster = cluster;
        this.peers = peers;
        this.keyspace = keyspace;
        this.later = later;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("role", this::role)
                .add("wait", this::await)
                .add("system|nodes", this::nodes)
                .add("system|forget", this::forget)
                .add("system|hold", this::hold)
                .add("system|ready", this::ready)
                .add("system|fold", this::fold)
                .add("system|purge", this::purge)
                .add("system|digest", this::digest)
                .add("system|getlog", this::log);
    }

    /// `ROLE`: every node takes writes, so each is a master to Redis's tools, and its peers are its replicas. Offsets
    /// are numbers of frames: a peer whose offset equals the master's has all changes made on this node.
    private void role(Arguments arguments, Client client, Reply reply) {
        Cluster.Standing standing = cluster.standing();
        List<Cluster.Peer> present = standing.peers();
        reply.array(3);
        reply.bulk("master");
        reply.integer(standing.head());
        reply.array(present.size());
        for (Cluster.Peer peer : present) {
            ClientAddress address = ClientAddress.of(peer.clientAddress());
            reply.array(3);
            reply.bulk(address.host());
            reply.bulk(Integer.toString(address.port()));
            reply.bulk(Long.toString(peer.has()));
        }
    }

    /// `WAIT numreplicas timeout`: the number of other nodes whose journals have all changes that were made on this
    /// node before, by any client, and all that its disk had at the start.
    private void await(Arguments arguments, Client client, Reply reply) {
        long wanted = Numbers.signed(arguments, 1);
        long millis = Numbers.signed(arguments, 2, "ERR timeout is not an integer or out of range");
        if (millis < 0) {
            throw new CommandError("ERR timeout is negative");
        }
        if (client.inSection()) {
            // A transaction must not wait, and no node can have its changes before it ends.
            reply.integer(0);
            return;
        }
        Link.Suspension suspension = client.suspend();
        peers.await(
                new ClientWait(wanted, Duration.ofMillis(millis), client.link()),
                count -> suspension.resume(answer -> answer.integer(count)));
    }

    private record ClientWait(long wanted, Duration patience, Link link) implements Peers.Wait {
        @Override
        public boolean listens() {
            return link.isOpen();
        }
    }

    private void nodes(Arguments arguments, Client client, Reply reply) {
        List<Cluster.Node> nodes = cluster.nodes();
        reply.array(nodes.size());
        for (Cluster.Node node : nodes) {
            reply.map(9);
            pair("name", node.name(), reply);
            pair("uuid", node.uuid(), reply);
            pair("address", node.clientAddress(), reply);
            pair("state", node.state(), reply);
            pair("present", node.present(), reply);
            pair("starts", node.starts(), reply);
            pair("session", node.session(), reply);
            pair("http", node.httpAddress(), reply);
            pair("away_seconds", node.awaySeconds(), reply);
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
        String node = arguments.text(2);
        String shown = arguments.shown(2);
        Link.Suspension suspension = client.suspend();
        cluster.forget(
                node,
                outcome -> suspension.resume(answer -> {
                    switch (outcome) {
                        case DONE -> answer.ok();
                        case UNKNOWN ->
                            throw new CommandError("ERR no known node has the name or UUID '" + shown + "'");
                        case PRESENT ->
                            throw new CommandError("ERR node '" + shown + "' is running; " + whatToForget(node));
                    }
                }));
    }

    /// Advice for an operator who has replaced a node with a lost disk by a new one of the same name: the old node is
    /// listed under that name with a suffix.
    private String whatToForget(String name) {
        List<String> gone = cluster.nodes().stream()
                .filter(node -> node.present() == 0 && node.name().startsWith(name + "-"))
                .map(Cluster.Node::name)
                .toList();
        return gone.isEmpty()
                ? "stop it first. SYSTEM FORGET takes only a node that has left or is unreachable"
                : "did you mean " + String.join(" or ", gone) + ", which has left or is unreachable?";
    }

    private void hold(Arguments arguments, Client client, Reply reply) {
        Link.Suspension suspension = client.suspend();
        if (!cluster.hold(() -> suspension.resume(Reply::ok))) {
            suspension.resume(_ -> {
                throw new CommandError("ERR this node has no cluster-name: its clients have no other node to go to");
            });
        }
    }

    private void ready(Arguments arguments, Client client, Reply reply) {
        Link.Suspension suspension = client.suspend();
        cluster.ready(() -> suspension.resume(Reply::ok));
    }

    private void fold(Arguments arguments, Client client, Reply reply) {
        cluster.fold();
        reply.ok();
    }

    private void purge(Arguments arguments, Client client, Reply reply) {
        cluster.purge();
        reply.ok();
    }

    /// `SYSTEM DIGEST`: visits all counters, so it runs on another thread.
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
