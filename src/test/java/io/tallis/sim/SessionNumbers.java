package io.tallis.sim;

import io.tallis.crdt.ReplicaId;
import java.util.HashMap;
import java.util.Map;

/// Small numbers for the sessions of a simulation, in order of their starts.
final class SessionNumbers {
    private record Shard(CellName cell, int session, boolean up) {}

    private final Map<ReplicaId, Integer> numbers = new HashMap<>();
    private final Map<Shard, Long> floors = new HashMap<>();

    int begin(ReplicaId id) {
        int number = numbers.size();
        if (numbers.putIfAbsent(id, number) != null) {
            throw new Violation("replica id " + id + " is used again (I2)");
        }
        return number;
    }

    /// A fold was made.
    int makeFold(ReplicaId id) {
        return begin(id);
    }

    /// A session began its shard of this cell at such totals, all of which count as reset.
    void floor(CellName cell, int session, long ups, long downs) {
        floors.put(new Shard(cell, session, true), ups);
        floors.put(new Shard(cell, session, false), downs);
    }

    /// Where a session began to count up, or down, in this cell; mostly 0.
    long floor(CellName cell, int session, boolean up) {
        return floors.isEmpty() ? 0 : floors.getOrDefault(new Shard(cell, session, up), 0L);
    }

    int numberOf(ReplicaId id) {
        Integer number = numbers.get(id);
        if (number == null) {
            throw new Violation("a shard of replica id " + id + ", which never lived");
        }
        return number;
    }
}
