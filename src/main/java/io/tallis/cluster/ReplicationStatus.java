package io.tallis.cluster;

import io.tallis.cluster.frame.DropReason;
import io.tallis.cluster.join.Joining;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Standing;
import io.tallis.crdt.ReplicaId;
import java.util.List;
import java.util.Map;

/// How replication is doing at one moment. Immutable; the replicator publishes a new one about five times a second.
///
/// `peers` are the present ones, in the order of their sessions; `head` is the number of this session's last frame.
public record ReplicationStatus(
        ReplicaId session,
        Joining joining,
        long head,
        Frames frames,
        Repairs repairs,
        Traffic traffic,
        List<PeerStatus> peers) {

    /// How far this session has joined: `percent` of all partitions are compared and, where they differed, fetched.
    /// What the last round of pulls has brought, or the one that goes on and has come as far as `pullPercent`, came in
    /// `pullMillis`; `held` is whether an operator keeps it silent; `reason` says in a sentence what it waits for, and
    /// is empty when it waits for nothing but the end of the pull.
    public record Joining(
            JoinState state,
            int percent,
            long cellsPulled,
            long bytesPulled,
            long pullMillis,
            int pullPercent,
            Standing standing,
            boolean held,
            String reason) {}

    /// Frames of any kind. A reason for which none was dropped may be left out.
    public record Frames(long sent, long received, Map<DropReason, Long> dropped) {
        public Frames {
            dropped = Map.copyOf(dropped);
        }
    }

    /// How often this node asked for changes since a frame, answered such asks, pulled, and pulled from one whose
    /// digests differed without learning anything; and how many bytes of frames its rotation sent.
    public record Repairs(long asks, long answers, long pulls, long fruitlessPulls, long rotationBytes) {}

    /// Bytes of frames; what is sent to all counts once.
    public record Traffic(long bytesIn, long bytesOut) {}

    public ReplicationStatus {
        peers = List.copyOf(peers);
    }

    /// What is so before the replicator has begun.
    public static ReplicationStatus loading(ReplicaId session) {
        return new ReplicationStatus(
                session,
                new Joining(JoinState.LOADING, 0, 0, 0, 0, 100, Standing.NONE, false, ""),
                0,
                new Frames(0, 0, Map.of()),
                new Repairs(0, 0, 0, 0, 0),
                new Traffic(0, 0),
                List.of());
    }
}
