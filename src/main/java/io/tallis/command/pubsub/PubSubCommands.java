package io.tallis.command.pubsub;

import io.tallis.command.Arguments;
import io.tallis.command.ByteString;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Glob;
import io.tallis.command.Reply;
import io.tallis.command.Subscriptions;
import io.tallis.command.Subscriptions.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The commands of publish and subscribe.
public final class PubSubCommands implements CommandFamily {
    private final PubSub pubSub;

    public PubSubCommands(PubSub pubSub) {
        this.pubSub = pubSub;
    }

    @Override
    public void addTo(CommandSet commands) {
        for (Kind kind : Kind.values()) {
            commands.add(kind.subscribing(), subscribe(kind));
            commands.add(kind.unsubscribing(), unsubscribe(kind));
        }
        commands.add(
                "publish",
                (arguments, _, reply) -> reply.integer(pubSub.publish(arguments.bytes(1), arguments.bytes(2))));
        commands.add(
                "spublish",
                (arguments, _, reply) -> reply.integer(pubSub.publishToShard(arguments.bytes(1), arguments.bytes(2))));
        commands.add("pubsub|channels", channels(Kind.CHANNEL));
        commands.add("pubsub|shardchannels", channels(Kind.SHARD_CHANNEL));
        commands.add("pubsub|numsub", subscribers(Kind.CHANNEL));
        commands.add("pubsub|shardnumsub", subscribers(Kind.SHARD_CHANNEL));
        commands.add("pubsub|numpat", (_, _, reply) -> reply.integer(pubSub.count(Kind.PATTERN)));
    }

    /// `SUBSCRIBE channel...`, `PSUBSCRIBE pattern...`, `SSUBSCRIBE shardchannel...`
    private Command subscribe(Kind kind) {
        return (arguments, client, reply) -> {
            List<ByteString> names = names(arguments);
            if (!client.subscriptions().hasRoomFor(kind, names)) {
                throw new CommandError("ERR a client can have at most " + Subscriptions.MOST + " subscriptions with "
                        + Subscriptions.MOST_BYTES + " bytes of names");
            }
            for (ByteString name : names) {
                pubSub.subscribe(client, kind, name);
                confirm(kind.subscribing(), kind, name, client, reply);
            }
        };
    }

    /// `UNSUBSCRIBE [channel...]`, `PUNSUBSCRIBE [pattern...]`, `SUNSUBSCRIBE [shardchannel...]`: ends these
    /// subscriptions, or all of the kind. Sends at least one confirmation, even without any subscription.
    private Command unsubscribe(Kind kind) {
        return (arguments, client, reply) -> {
            List<ByteString> names = arguments.count() > 1
                    ? names(arguments)
                    : client.subscriptions().all(kind);
            for (ByteString name : names) {
                pubSub.unsubscribe(client, kind, name);
                confirm(kind.unsubscribing(), kind, name, client, reply);
            }
            if (names.isEmpty()) {
                confirm(kind.unsubscribing(), kind, null, client, reply);
            }
        };
    }

    private static List<ByteString> names(Arguments arguments) {
        List<ByteString> names = new ArrayList<>();
        for (int word = 1; word < arguments.count(); word++) {
            names.add(new ByteString(arguments.bytes(word)));
        }
        return names;
    }

    /// Confirms one subscription, or its end, with the number of those that are left. Shard channels are counted apart.
    /// Confirmations are messages, so a client with replies switched off gets them too.
    private static void confirm(String word, Kind kind, @Nullable ByteString name, Client client, Reply answer) {
        Subscriptions all = client.subscriptions();
        Reply reply = client.aloud(answer);
        reply.push(3);
        reply.bulk(word);
        if (name == null) {
            reply.nil();
        } else {
            reply.bulk(name.bytes());
        }
        reply.integer(kind == Kind.SHARD_CHANNEL ? all.shardChannels() : all.channels() + all.patterns());
    }

    /// `PUBSUB CHANNELS [pattern]`, `PUBSUB SHARDCHANNELS [pattern]`: the channels with subscribers on this node.
    private Command channels(Kind kind) {
        return (arguments, client, reply) -> {
            if (arguments.count() > 3) {
                throw CommandError.subcommand(arguments);
            }
            Glob pattern = new Glob(arguments.count() == 3 ? arguments.bytes(2) : new byte[] {'*'});
            List<byte[]> channels =
                    pubSub.active(kind).stream().filter(pattern::matches).toList();
            reply.array(channels.size());
            channels.forEach(reply::bulk);
        };
    }

    /// `PUBSUB NUMSUB [channel...]`, `PUBSUB SHARDNUMSUB [shardchannel...]`: the number of subscribers of each channel
    /// on this node.
    private Command subscribers(Kind kind) {
        return (arguments, client, reply) -> {
            reply.array(2 * (arguments.count() - 2));
            for (int word = 2; word < arguments.count(); word++) {
                byte[] channel = arguments.bytes(word);
                reply.bulk(channel);
                reply.integer(pubSub.subscribers(kind, channel));
            }
        };
    }
}
