package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;
import io.tallis.crdt.Counter;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import java.util.Locale;

/// `DEBUG OBJECT key`: where the counter of a key is and what it takes, in the form of Redis's.
///
/// A record has no address of its own: the partition stands for it. When a key was last used is not kept, so the
/// fields for that are left out. A key with both types is described by its PNCOUNT, as `OBJECT ENCODING` does.
final class DebugObject implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Key key = arguments.key(2);
        Counters counters = client.counters();
        if (!counters.exists(key)) {
            throw new CommandError("ERR no such key");
        }
        Counter counter = counters.counter();
        reply.status("Value at:partition-" + counters.keyspace().partitionOf(key)
                + " refcount:1"
                + " encoding:" + counter.type().name().toLowerCase(Locale.ROOT)
                + " serializedlength:" + counters.keyspace().serializedLength(counter)
                + " shards:" + counter.shards());
    }
}
