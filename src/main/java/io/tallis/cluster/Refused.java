package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import io.tallis.wire.MalformedException;
import java.util.HashSet;
import java.util.Set;

/// Counts frames that were dropped because they were not right, and tells of the first of each sender.
final class Refused {
    /// Of how many senders is told; of more than these nobody would read.
    private static final int MOST_TOLD = 100;

    private final EventSink events;
    private final Set<ReplicaId> told = new HashSet<>();
    private long frames;

    Refused(EventSink events) {
        this.events = events;
    }

    long frames() {
        return frames;
    }

    void frame(ReplicaId from, MalformedException reason) {
        frames++;
        if (told.size() < MOST_TOLD && told.add(from)) {
            events.happened("dropped a frame from " + from + ": " + reason.getMessage());
        }
    }
}
