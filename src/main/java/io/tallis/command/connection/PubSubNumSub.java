package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.PubSub;
import io.tallis.command.Reply;
import io.tallis.command.Subscriptions.Kind;

/// `PUBSUB NUMSUB [channel...]`, `PUBSUB SHARDNUMSUB [shardchannel...]`: how many listen to each channel on this
/// node.
final class PubSubNumSub implements Command {
    private final PubSub pubSub;
    private final Kind kind;

    PubSubNumSub(PubSub pubSub, Kind kind) {
        this.pubSub = pubSub;
        this.kind = kind;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        reply.array(2 * (arguments.count() - 2));
        for (int word = 2; word < arguments.count(); word++) {
            byte[] channel = arguments.bytes(word);
            reply.bulk(channel);
            reply.integer(pubSub.listeners(kind, channel));
        }
    }
}
