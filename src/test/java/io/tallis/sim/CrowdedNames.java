package io.tallis.sim;

import io.tallis.crdt.CounterType;
import java.util.HashMap;
import java.util.Map;

/// Names of keys that expire: all in the same two partitions, so that cells come and go among others.
final class CrowdedNames {
    static final int FIRST_PARTITION = 500;
    static final int PARTITIONS = 2;

    private static final String PREFIX = "expiring ";

    private final Map<String, String> names = new HashMap<>();

    static boolean isOne(CellName cell) {
        return cell.key().startsWith(PREFIX);
    }

    CellName of(Session session, CounterType type, String name) {
        return new CellName(type, names.computeIfAbsent(name, _ -> find(session, name)));
    }

    private static String find(Session session, String name) {
        for (int i = 0; ; i++) {
            String key = PREFIX + name + " " + i;
            int partition = session.keyspace().partitionOf(new CellName(CounterType.PNCOUNT, key).toKey());
            if (partition >= FIRST_PARTITION && partition < FIRST_PARTITION + PARTITIONS) {
                return key;
            }
        }
    }
}
