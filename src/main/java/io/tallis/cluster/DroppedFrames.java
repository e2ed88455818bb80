package io.tallis.cluster;

import io.tallis.cluster.frame.Frame.DropReason;
import io.tallis.cluster.records.Event;
import io.tallis.crdt.ReplicaId;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// Counts the frames that this node dropped, by reason, and reports the first invalid frame of each sender.
final class DroppedFrames {
    /// Invalid frames of at most so many senders are reported; those of others are only counted.
    private static final int MOST_REPORTED = 100;

    private final Event.Sink events;
    private final Set<ReplicaId> reported = new HashSet<>();
    private final Map<DropReason, Long> byReason = new EnumMap<>(DropReason.class);
    private boolean reportedImpossibleAck;

    DroppedFrames(Event.Sink events) {
        this.events = events;
    }

    /// How many frames were dropped for each reason that occurred.
    Map<DropReason, Long> byReason() {
        return byReason;
    }

    /// A frame from `sender` was invalid; the message of `cause` says what is wrong with it.
    void invalid(ReplicaId sender, DropReason reason, Exception cause) {
        byReason.merge(reason, 1L, Long::sum);
        if (reported.size() < MOST_REPORTED && reported.add(sender)) {
            events.record("dropped an invalid frame from session " + sender + ": " + cause.getMessage());
        }
    }

    /// `peer` acknowledged frames that this session has not sent.
    void impossibleAck(ReplicaId peer) {
        if (!reportedImpossibleAck) {
            reportedImpossibleAck = true;
            events.record("got acknowledgements from session " + peer
                    + " of frames that it never sent. If its virtual machine was"
                    + " resumed from a snapshot, restart this process: increments may be lost until then");
        }
    }

    /// A frame was dropped because there is no memory for its cells.
    void memoryFull() {
        byReason.merge(DropReason.MEMORY_FULL, 1L, Long::sum);
    }

    /// A frame has cells with a fold that is not known here yet.
    void unknownFold() {
        byReason.merge(DropReason.UNKNOWN_FOLD, 1L, Long::sum);
    }

    /// A frame has cells from before a purge, which may be deleted ones.
    void beforePurge() {
        byReason.merge(DropReason.BEFORE_PURGE, 1L, Long::sum);
    }

    /// `frames` in all were dropped since the process started because the inbox was full.
    void inboxFull(long frames) {
        if (frames > 0) {
            byReason.put(DropReason.INBOX_FULL, frames);
        }
    }
}
