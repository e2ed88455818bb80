package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.ByteString;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.PubSub;
import io.tallis.command.Reply;
import io.tallis.command.Subscriptions.Kind;
import java.util.ArrayList;
import java.util.List;

/// `UNSUBSCRIBE [channel...]`, `PUNSUBSCRIBE [pattern...]`, `SUNSUBSCRIBE [shardchannel...]`: listens to these no
/// longer, or to none. Says so at least once, even if there was nothing.
final class Unsubscribe implements Command {
    private final PubSub pubSub;
    private final Kind kind;

    Unsubscribe(PubSub pubSub, Kind kind) {
        this.pubSub = pubSub;
        this.kind = kind;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        List<ByteString> names = arguments.count() > 1
                ? named(arguments)
                : client.subscriptions().all(kind);
        for (ByteString name : names) {
            pubSub.unsubscribe(client, kind, name);
            Confirmation.send(kind.unsubscribing(), kind, name, client, reply);
        }
        if (names.isEmpty()) {
            Confirmation.send(kind.unsubscribing(), kind, null, client, reply);
        }
    }

    private static List<ByteString> named(Arguments arguments) {
        List<ByteString> names = new ArrayList<>();
        for (int word = 1; word < arguments.count(); word++) {
            names.add(new ByteString(arguments.bytes(word)));
        }
        return names;
    }
}
