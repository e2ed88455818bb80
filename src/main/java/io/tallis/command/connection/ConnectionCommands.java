package io.tallis.command.connection;

import io.tallis.command.ClientRegistry;
import io.tallis.command.Command;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandRunner;
import io.tallis.command.CommandSet;
import io.tallis.command.CommandSettings;
import io.tallis.command.Monitors;
import io.tallis.command.Peers;
import io.tallis.command.PubSub;
import io.tallis.command.Subscriptions.Kind;
import io.tallis.runtime.Live;

/// The commands about connections, and those that only say that we are no Redis Cluster.
public final class ConnectionCommands implements CommandFamily {
    private final Live<CommandSettings> settings;
    private final CommandRunner runner;
    private final ClientRegistry clients;
    private final PubSub pubSub;
    private final Monitors monitors;
    private final Peers peers;

    public ConnectionCommands(
            Live<CommandSettings> settings,
            CommandRunner runner,
            ClientRegistry clients,
            PubSub pubSub,
            Monitors monitors,
            Peers peers) {
        this.settings = settings;
        this.runner = runner;
        this.clients = clients;
        this.pubSub = pubSub;
        this.monitors = monitors;
        this.peers = peers;
    }

    @Override
    public void addTo(CommandSet commands) {
        addIdentity(commands);
        addClient(commands);
        addDescriptions(commands);
        addTransactions(commands);
        addPubSub(commands);
        addOtherSetUps(commands);
    }

    private void addIdentity(CommandSet commands) {
        Authentication authentication = new Authentication(settings);
        commands.add("hello", new Hello(authentication));
        commands.add("auth", new Auth(authentication));
        commands.add("ping", new Ping());
        commands.add("echo", new Echo());
        commands.add("select", new Select());
        commands.add("quit", new Quit());
        commands.add("reset", new Reset(authentication, pubSub, monitors));
        commands.add("acl|whoami", (_, _, reply) -> reply.bulk(Authentication.ONLY_USER));
    }

    private void addClient(CommandSet commands) {
        ClientLine line = new ClientLine(clients);
        commands.add("client|id", (_, client, reply) -> reply.integer(client.id()));
        commands.add("client|info", (_, client, reply) -> reply.text(line.of(client)));
        commands.add("client|list", new ClientList(clients, line));
        commands.add("client|kill", new ClientKill(clients));
        commands.add("client|getname", new ClientGetName());
        commands.add("client|setname", new ClientSetName());
        commands.add("client|setinfo", new ClientSetInfo());
        commands.add("client|reply", new ClientReply());
        commands.add("client|unblock", new ClientUnblock());
        commands.add("client|no-evict", new ClientNoEvict());
        commands.add("client|no-touch", new ClientNoTouch());
        commands.add("client|getredir", (_, _, reply) -> reply.integer(-1));
    }

    private static void addDescriptions(CommandSet commands) {
        commands.add("command", new CommandAll(commands.facts()));
        commands.add("command|count", new CommandCount(commands.facts()));
        commands.add("command|docs", new CommandDocsOf(commands.facts()));
        commands.add("command|getkeys", new CommandGetKeys(commands.facts(), false));
        commands.add("command|getkeysandflags", new CommandGetKeys(commands.facts(), true));
        commands.add("command|info", new CommandInfo(commands.facts()));
        commands.add("command|list", new CommandList(commands.facts()));
    }

    private void addTransactions(CommandSet commands) {
        commands.add("multi", new Multi());
        commands.add("exec", new Exec(runner));
        commands.add("discard", new Discard());
        commands.add("watch", new Watch());
        commands.add("unwatch", new Unwatch());
    }

    private void addPubSub(CommandSet commands) {
        commands.add("subscribe", new Subscribe(pubSub, Kind.CHANNEL));
        commands.add("psubscribe", new Subscribe(pubSub, Kind.PATTERN));
        commands.add("ssubscribe", new Subscribe(pubSub, Kind.SHARD_CHANNEL));
        commands.add("unsubscribe", new Unsubscribe(pubSub, Kind.CHANNEL));
        commands.add("punsubscribe", new Unsubscribe(pubSub, Kind.PATTERN));
        commands.add("sunsubscribe", new Unsubscribe(pubSub, Kind.SHARD_CHANNEL));
        commands.add("publish", new Publish(pubSub::publish));
        commands.add("spublish", new Publish(pubSub::publishToShard));
        commands.add("pubsub|channels", new PubSubChannels(pubSub, Kind.CHANNEL));
        commands.add("pubsub|shardchannels", new PubSubChannels(pubSub, Kind.SHARD_CHANNEL));
        commands.add("pubsub|numsub", new PubSubNumSub(pubSub, Kind.CHANNEL));
        commands.add("pubsub|shardnumsub", new PubSubNumSub(pubSub, Kind.SHARD_CHANNEL));
        commands.add("pubsub|numpat", (_, _, reply) -> reply.integer(pubSub.count(Kind.PATTERN)));
    }

    private void addOtherSetUps(CommandSet commands) {
        Command refused = new NoCluster();
        commands.facts().all().stream()
                .filter(spec -> spec.docs().group().equals("cluster"))
                .filter(spec -> spec.subcommands().isEmpty())
                .forEach(spec -> commands.add(spec.fullName(), refused));
        commands.add("wait", new Wait(peers));
        commands.add("module|list", (_, _, reply) -> reply.array(0));
    }
}
