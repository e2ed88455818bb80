package io.tallis.sim;

import io.tallis.crdt.CounterType;
import java.util.HashMap;
import java.util.Map;

/// Names of keys whose cells nodes drop: all in the same two partitions, so that cells come and go among others.
final class CrowdedNames {
    static final int FIRST_PARTITION = 500;
    static final int PARTITIONS = 2;

    /// How names begin of keys that expire, and of those that are purged.
    static final String EXPIRING = "expiring ";

    static final String PURGED = "purged ";

    private final String prefix;
    private final Map<String, String> names = new HashMap<>();

    CrowdedNames(String prefix) {
        this.prefix = prefix;
    }

    static boolean isOne(CellName cell) {
        return cell.keyStartsWith(EXPIRING) || cell.keyStartsWith(PURGED);
    }

    CellName of(Session session, CounterType type, String name) {
        String key = names.computeIfAbsent(name, _ -> find(session, name));
        return type == CounterType.FIELD ? CellName.field(key, "f") : new CellName(type, key);
    }

    private String find(Session session, String name) {
        for (int i = 0; ; i++) {
            String key = prefix + name + " " + i;
            int partition = session.keyspace().partitionOf(new CellName(CounterType.PNCOUNT, key).toKey());
            if (partition >= FIRST_PARTITION && partition < FIRST_PARTITION + PARTITIONS) {
                return key;
            }
        }
    }
}
