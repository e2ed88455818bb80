package io.tallis.command.connection;

import io.tallis.command.ByteString;
import io.tallis.command.Client;
import io.tallis.command.Reply;
import io.tallis.command.Subscriptions;
import io.tallis.command.Subscriptions.Kind;
import org.jspecify.annotations.Nullable;

/// What a client is told for every channel that it began or ceased to listen to: the word, the channel, and how
/// many are left. Shard channels are counted for themselves. Who wants no answers is told as well: these are messages.
final class Confirmation {
    private Confirmation() {}

    static void send(String word, Kind kind, @Nullable ByteString name, Client client, Reply answer) {
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
}
