package io.tallis.cluster.frame;

import io.tallis.crdt.ReplicaId;
import java.util.List;

/// Carries frames between sessions; a session is addressed by its replica id. The port to the network.
///
/// It may lose, repeat, delay and reorder frames, and deliver frames of sessions that are not in the view. Sending
/// never blocks because a peer is slow, and reports no failure. Called by the replicator's thread only.
public interface Transport {
    /// Sends to all others in the view, without retransmission.
    void multicast(byte[] frame);

    /// Sends to one session. A member of the view gets its frames in order, and retransmitted until they arrive or it
    /// leaves the view; a frame is dropped if too much is unacknowledged. To any other session like [#sendUnreliably].
    void send(ReplicaId to, byte[] frame);

    /// Sends to one session, in the view or not, at once and without retransmission; drops a frame that is too long for
    /// a multicast. For frames that are repeated, or soon out of date.
    void sendUnreliably(ReplicaId to, byte[] frame);

    /// Is called with what arrives, on any thread. Its methods return soon.
    interface Receiver {
        void onFrame(ReplicaId from, byte[] frame);

        /// The view changed; this session is among its members.
        void onView(List<ReplicaId> members);
    }
}
