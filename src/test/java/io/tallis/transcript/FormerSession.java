package io.tallis.transcript;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// The contribution of a former session: `former-session GCOUNT key amount`, for PNCOUNT also with a negative amount.
final class FormerSession {
    private FormerSession() {}

    static void merge(Keyspace keyspace, String[] words) {
        CounterType type = CounterType.valueOf(words[1].toUpperCase(Locale.ROOT));
        int replica = keyspace.replicas()
                .numberOf(new ReplicaId(0, keyspace.replicas().count()));
        Cell counter = new Cell().clear(type);
        if (type == CounterType.GCOUNT) {
            counter.counts().grow(replica, Long.parseUnsignedLong(words[3]));
        } else {
            counter.add(replica, Long.parseLong(words[3]));
        }
        new Merges(keyspace, ChangeLog.NONE).merge(Key.of(words[2].getBytes(StandardCharsets.UTF_8)), counter);
    }
}
