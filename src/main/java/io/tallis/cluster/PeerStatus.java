package io.tallis.cluster;

import io.tallis.cluster.peer.JoinState;
import io.tallis.crdt.ReplicaId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// How a present peer is doing, as this node sees it.
///
/// `whole` is whether it has all that others have, as far as it knows. `has` is up to which frame it has all of this
/// session's changes, and `lag` what is behind this session's head.
/// `silentMillis` is how long ago it was heard last. `comparison` is null until digests were compared with it.
public record PeerStatus(
        Identity identity,
        JoinState state,
        boolean complete,
        long has,
        Lag lag,
        long bytesIn,
        long bytesOut,
        long silentMillis,
        @Nullable Comparison comparison) {
    /// Who a peer says it is; `name` is what it is called here.
    public record Identity(ReplicaId session, UUID uuid, String name, String clientAddress) {}

    /// What a peer lacks of this session's frames, and for how long the first of them has been out.
    public record Lag(long frames, long millis) {}

    /// The last time that all was compared: whether nothing differed, and how long ago that was.
    public record Comparison(boolean agreed, long agoMillis) {}
}
