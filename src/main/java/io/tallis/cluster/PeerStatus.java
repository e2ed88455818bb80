package io.tallis.cluster;

import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Vitals;
import io.tallis.cluster.records.Addresses;
import io.tallis.crdt.ReplicaId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The state of a reachable peer, as this node sees it.
///
/// `complete` is whether it is complete for its cluster. `acknowledged` is the frame up to which it has all of this
/// session's changes in its journal, and `lag` how far that is behind this session's head. `silentMillis` is how long
/// ago its last frame arrived, `clockAheadMillis` how far its clock is ahead of this node's. `comparison` is null until
/// digests were compared with it.
public record PeerStatus(
        Identity identity,
        JoinState state,
        boolean complete,
        long acknowledged,
        Lag lag,
        long bytesIn,
        long bytesOut,
        long silentMillis,
        long clockAheadMillis,
        Vitals vitals,
        @Nullable Comparison comparison) {
    /// What the peer's beats say of its node.
    public record Identity(ReplicaId session, UUID uuid, String name, Addresses addresses) {}

    /// How many of this session's frames a peer lacks, and how long ago the first of them was sent.
    public record Lag(long frames, long millis) {}

    /// The last comparison of all partitions: whether none differed, and how long ago it was.
    public record Comparison(boolean agreed, long agoMillis) {}
}
