package io.tallis.cluster.frame;

import io.tallis.crdt.ReplicaId;
import java.util.List;

/// Carries frames between sessions. A session's replica id is its address.
///
/// May lose, repeat, delay and reorder frames, and may deliver some of sessions that are not in the view. Sending
/// never blocks for the sake of a peer, and fails in silence. Called by the replicator's thread only.
public interface Transport {
    /// To all others in reach, without any promise.
    void multicast(byte[] frame);

    /// To one session. To a member of the view in order with what was sent to it before, and again until it has arrived
    /// or one of both departs; lost if much that was sent to it has not arrived. To any other like [#toss].
    void send(ReplicaId to, byte[] frame);

    /// To one session, in the view or not, at once and without any promise, and not at all if it is too long to be
    /// multicast: for what is repeated, or soon said otherwise, when it is lost.
    void toss(ReplicaId to, byte[] frame);

    /// Who is told what arrives, on any thread. Returns soon.
    interface Receiver {
        void onFrame(ReplicaId from, byte[] frame);

        /// The sessions in reach, this one among them.
        void onView(List<ReplicaId> members);
    }
}
