package io.tallis.cluster;

import io.tallis.cluster.peer.Peer;
import io.tallis.crdt.ReplicaId;
import io.tallis.metrics.DurationHistogram;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/// Measures how long changes take to reach the peers: from when their frame was sent until the peer has told that its
/// journal has it. Belongs to the replicator's thread.
///
/// One frame of each peer is watched at a time. Peers tell with their beats, five times a second, so most of a short
/// time is the wait for the next beat, unless a client that waits has made this node ask for acknowledgements. A peer
/// that becomes unreachable keeps its frame: the time counts until it is back and has it.
final class Convergence {
    /// When there are more sessions, the frames of those that were sent one the longest ago are watched no longer.
    private static final int MOST_WATCHED = 256;

    private final Map<ReplicaId, Watched> watched = new LinkedHashMap<>();
    private final DurationHistogram durations = new DurationHistogram();
    private long head;

    private record Watched(long frame, long sentAt) {}

    /// Frames up to `newHead` are sent.
    void step(long newHead, Collection<Peer> peers, long now) {
        boolean sends = newHead > head;
        for (Peer peer : peers) {
            Watched frame = watched.get(peer.session());
            if (frame != null && peer.acknowledged().frames() >= frame.frame) {
                durations.add(now - frame.sentAt);
                watched.remove(peer.session());
                frame = null;
            }
            if (sends && frame == null && peer.serves()) {
                watch(peer.session(), new Watched(head + 1, now));
            }
        }
        head = newHead;
    }

    private void watch(ReplicaId session, Watched frame) {
        if (watched.size() >= MOST_WATCHED) {
            watched.remove(watched.keySet().iterator().next());
        }
        watched.put(session, frame);
    }

    /// Any thread may read them.
    DurationHistogram durations() {
        return durations;
    }
}
