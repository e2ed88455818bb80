package io.tallis.cluster;

import io.tallis.cluster.frame.DropReason;
import io.tallis.cluster.records.EventSink;
import io.tallis.crdt.ReplicaId;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// Counts frames that were dropped, and tells of the first of each sender that was not right.
final class Refused {
    /// Of how many senders is told; of more than these nobody would read.
    private static final int MOST_TOLD = 100;

    private final EventSink events;
    private final Set<ReplicaId> told = new HashSet<>();
    private final Map<DropReason, Long> byReason = new EnumMap<>(DropReason.class);
    private boolean toldOfTheFuture;

    Refused(EventSink events) {
        this.events = events;
    }

    /// How many were dropped for each reason that there was.
    Map<DropReason, Long> byReason() {
        return byReason;
    }

    /// A frame of `from` was not right, and `cause` says what is wrong with it.
    void frame(ReplicaId from, DropReason reason, Exception cause) {
        byReason.merge(reason, 1L, Long::sum);
        if (told.size() < MOST_TOLD && told.add(from)) {
            events.happened("dropped a frame from " + from + ": " + cause.getMessage());
        }
    }

    /// `peer` has frames of this session that it has not made.
    void knowsTheFuture(ReplicaId peer) {
        if (!toldOfTheFuture) {
            toldOfTheFuture = true;
            events.happened(peer + " has more frames of this process than it has sent: was its memory taken back to an"
                    + " earlier state? Then it has to be started again, and what it counts until then may be lost");
        }
    }

    /// There was no memory for what is in one.
    void foundNoMemory() {
        byReason.merge(DropReason.MEMORY_FULL, 1L, Long::sum);
    }

    /// So many in all found no room where frames wait.
    void foundNoRoom(long frames) {
        if (frames > 0) {
            byReason.put(DropReason.INBOX_FULL, frames);
        }
    }
}
