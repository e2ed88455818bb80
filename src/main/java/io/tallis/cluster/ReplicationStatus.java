package io.tallis.cluster;

import io.tallis.cluster.frame.Frame.DropReason;
import io.tallis.cluster.frame.MeteredTransport;
import io.tallis.cluster.join.Joining;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Standing;
import io.tallis.crdt.ReplicaId;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// The state of replication at one moment. Immutable; the replicator publishes a new one about five times a second.
///
/// `peers` are the reachable ones, in the order of their sessions; `head` is the number of this session's last DELTA
/// frame.
public record ReplicationStatus(
        ReplicaId session,
        Joining joining,
        long head,
        Frames frames,
        Repairs repairs,
        MeteredTransport.Traffic traffic,
        Folds folds,
        Purges purges,
        Nodes nodes,
        List<PeerStatus> peers) {

    /// The progress of joining. `percent` is the part of the partitions that were compared and, where they differed,
    /// fetched. `cellsPulled` and `bytesPulled` are what the present round of pulls, or else the last, brought in
    /// `pullMillis`; `pullPercent` is how far that round is. `held` is whether an operator keeps the node from
    /// serving. `reason` is a sentence that says what the node waits for, empty when that is only the end of a pull.
    public record Joining(
            JoinState state,
            int percent,
            long cellsPulled,
            long bytesPulled,
            long pullMillis,
            int pullPercent,
            Standing standing,
            boolean held,
            String reason) {
        /// The state to be shown.
        public JoinState told() {
            return state == JoinState.READY && held ? JoinState.HELD : state;
        }
    }

    /// Frames of all kinds. `dropped` has no entry for a reason that did not occur.
    public record Frames(long sent, long received, Map<DropReason, Long> dropped) {
        public Frames {
            dropped = Map.copyOf(dropped);
        }
    }

    /// How many ASK frames this node sent, how many ANSWER frames, how many rounds of pulls were complete, how many
    /// pulls met differing digests but gained nothing, how many bytes its rotation sent, and how many the answers and
    /// pulls of this node and its peers took, in both directions.
    public record Repairs(long asks, long answers, long pulls, long fruitlessPulls, long rotationBytes, long bytes) {}

    /// How many ended sessions wait for a fold, how many folds were made, and what the next one waits for if no node is
    /// away, in words; empty if there is nothing to fold.
    public record Folds(long waiting, int made, String waitsFor) {
        public static final Folds NONE = new Folds(0, 0, "");
    }

    /// How many deleted cells this process dropped by purges, and what the next one waits for if no node is away, in
    /// words; empty if there is nothing to purge.
    public record Purges(long dropped, String waitsFor) {
        public static final Purges NONE = new Purges(0, "");
    }

    /// How many nodes can be reached and serve, this one included, of how many; and for how many milliseconds this
    /// process has seen the others away.
    public record Nodes(int here, int known, Map<UUID, Long> away) {
        public static final Nodes ALONE = new Nodes(1, 1, Map.of());

        public Nodes {
            away = Map.copyOf(away);
        }
    }

    public ReplicationStatus {
        peers = List.copyOf(peers);
    }

    /// The status before the replicator starts.
    public static ReplicationStatus loading(ReplicaId session) {
        return new ReplicationStatus(
                session,
                new Joining(JoinState.LOADING, 0, 0, 0, 0, 100, Standing.NONE, false, ""),
                0,
                new Frames(0, 0, Map.of()),
                new Repairs(0, 0, 0, 0, 0, 0),
                new MeteredTransport.Traffic(0, 0),
                Folds.NONE,
                Purges.NONE,
                Nodes.ALONE,
                List.of());
    }
}
