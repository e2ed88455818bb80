package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Glob;
import io.tallis.command.PubSub;
import io.tallis.command.Reply;
import io.tallis.command.Subscriptions.Kind;
import java.util.List;

/// `PUBSUB CHANNELS [pattern]`, `PUBSUB SHARDCHANNELS [pattern]`: which channels have listeners on this node.
final class PubSubChannels implements Command {
    private final PubSub pubSub;
    private final Kind kind;

    PubSubChannels(PubSub pubSub, Kind kind) {
        this.pubSub = pubSub;
        this.kind = kind;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() > 3) {
            throw CommandError.subcommand(arguments);
        }
        Glob pattern = new Glob(arguments.count() == 3 ? arguments.bytes(2) : new byte[] {'*'});
        List<byte[]> channels =
                pubSub.active(kind).stream().filter(pattern::matches).toList();
        reply.array(channels.size());
        channels.forEach(reply::bulk);
    }
}
