package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.KeyEvent;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.runtime.Sha256;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/// Sources: clients that keep their own totals of a counter and tell them to any node, any number of times.
///
/// A source is a shard like that of a session, whose replica id is a hash of the source's name, the same on all nodes.
/// So the larger total counts, wherever and how often it was told.
final class Sources {
    private static final int LONGEST_NAME = 255;
    private static final String TOO_LONG = "ERR the name of a source has 1 to " + LONGEST_NAME + " bytes";

    private Sources() {}

    /// Takes over the totals of the source in the fourth word for the counter in the third. Returns false, having
    /// changed nothing, if the counter refuses them.
    static boolean take(CounterType type, Arguments arguments, long added, long subtracted, Client client) {
        int length = arguments.length(3);
        if (length == 0 || length > LONGEST_NAME) {
            throw new CommandError(TOO_LONG);
        }
        Counters counters = client.counters();
        Replicas replicas = counters.keyspace().replicas();
        int source = replicas.numberOfSource(idOf(arguments, 3));
        if (source == Replicas.OWN) {
            throw new CommandError("ERR too many sources: there are " + replicas.sources()
                    + "; use the names of few sources again and again, or raise max-sources");
        }
        Key key = arguments.key(2);
        if (counters.takeTotals(type, key, source, added, subtracted) != Counters.Increment.DONE) {
            return false;
        }
        if (counters.isNew()) {
            client.happened(KeyEvent.INCRBY, key);
        }
        return true;
    }

    private static ReplicaId idOf(Arguments arguments, int word) {
        MessageDigest digest = Sha256.begin();
        digest.update(arguments.array(), arguments.offset(word), arguments.length(word));
        ByteBuffer hash = ByteBuffer.wrap(digest.digest());
        return ReplicaId.ofSource(hash.getInt(), hash.getLong());
    }
}
