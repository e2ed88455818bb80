package io.tallis.sim;

import io.tallis.crdt.ReplicaId;
import java.util.HashMap;
import java.util.Map;

/// Small numbers for the sessions of a simulation, in order of their starts.
final class SessionNumbers {
    private final Map<ReplicaId, Integer> numbers = new HashMap<>();

    int begin(ReplicaId id) {
        int number = numbers.size();
        if (numbers.putIfAbsent(id, number) != null) {
            throw new Violation("replica id " + id + " is used again (I2)");
        }
        return number;
    }

    int numberOf(ReplicaId id) {
        Integer number = numbers.get(id);
        if (number == null) {
            throw new Violation("a shard of replica id " + id + ", which never lived");
        }
        return number;
    }
}
