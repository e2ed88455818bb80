package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.ByteString;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.PubSub;
import io.tallis.command.Reply;
import io.tallis.command.Subscriptions;
import io.tallis.command.Subscriptions.Kind;
import java.util.ArrayList;
import java.util.List;

/// `SUBSCRIBE channel...`, `PSUBSCRIBE pattern...`, `SSUBSCRIBE shardchannel...`: listens to channels, on this
/// node.
final class Subscribe implements Command {
    private final PubSub pubSub;
    private final Kind kind;

    Subscribe(PubSub pubSub, Kind kind) {
        this.pubSub = pubSub;
        this.kind = kind;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        List<ByteString> names = new ArrayList<>();
        for (int word = 1; word < arguments.count(); word++) {
            names.add(new ByteString(arguments.bytes(word)));
        }
        if (!client.subscriptions().hasRoomFor(kind, names)) {
            throw new CommandError("ERR a client subscribes to at most " + Subscriptions.MOST + " channels with "
                    + Subscriptions.MOST_BYTES + " bytes of names");
        }
        for (ByteString name : names) {
            pubSub.subscribe(client, kind, name);
            Confirmation.send(kind.subscribing(), kind, name, client, reply);
        }
    }
}
