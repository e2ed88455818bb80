package io.tallis.cluster;

import io.tallis.cluster.delta.Answers;
import io.tallis.cluster.delta.Gaps;
import io.tallis.cluster.delta.Rotation;
import io.tallis.cluster.frame.MeteredTransport;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.join.Joining;
import io.tallis.cluster.peer.Beat;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Sessions;
import io.tallis.cluster.pull.Pulls;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Sums up for others how replication is doing. Belongs to the replicator's thread.
final class Report {
    /// What is asked.
    record Parts(
            Sessions sessions,
            Sender sender,
            MeteredTransport transport,
            Joining joining,
            Pulls pulls,
            Gaps gaps,
            Answers answers,
            Rotation rotation,
            Refused refused) {}

    private final Parts parts;
    private final FrameTimes times = new FrameTimes();
    private long head;

    /// How far it had joined at most.
    private int farthest;

    private JoinState last = JoinState.LOADING;

    Report(Parts parts) {
        this.parts = parts;
    }

    /// Looks whether frames of own changes have left.
    void lookAtHead(long now) {
        if (parts.sender.head() > head) {
            times.sent(head + 1, now);
            head = parts.sender.head();
        }
    }

    ReplicationStatus make(long now) {
        MeteredTransport transport = parts.transport;
        Pulls pulls = parts.pulls;
        return new ReplicationStatus(
                parts.sessions.self(),
                joining(),
                parts.sender.head(),
                new ReplicationStatus.Frames(transport.framesOut(), transport.framesIn(), parts.refused.byReason()),
                new ReplicationStatus.Repairs(
                        parts.gaps.asked(),
                        parts.answers.answered(),
                        pulls.rounds(),
                        pulls.fruitless(),
                        parts.rotation.bytes()),
                transport.traffic(),
                peers(now));
    }

    private ReplicationStatus.Joining joining() {
        Pulls pulls = parts.pulls;
        JoinState state = parts.joining.state();
        return new ReplicationStatus.Joining(
                state,
                percent(state),
                pulls.gained(),
                pulls.bytes(),
                millis(pulls.nanos()),
                pulls.percent(),
                parts.joining.standing(),
                parts.joining.isHeld(),
                parts.joining.reason());
    }

    /// How far it has joined at most since it looked what there is, as later rounds begin anew; what it compares later,
    /// as a member, is no part of
    /// that, unless it serves before it has all.
    private int percent(JoinState state) {
        boolean beginsToPull = last == JoinState.SEEKING && state == JoinState.PULLING;
        last = state;
        if (state == JoinState.READY && parts.joining.standing().complete()) {
            farthest = 0;
            return 100;
        }
        boolean isIdle = parts.pulls.idle() && state != JoinState.CATCHING_UP;
        farthest = Math.max(beginsToPull ? 0 : farthest, isIdle ? 0 : parts.pulls.percent());
        return state == JoinState.READY ? Math.min(99, farthest) : farthest;
    }

    /// Those that have told who they are.
    private List<PeerStatus> peers(long now) {
        return parts.sessions.peers().all().stream()
                .sorted(Comparator.comparing(Peer::session))
                .filter(peer -> peer.beat() != null)
                .map(peer -> peer(peer, peer.beat(), now))
                .toList();
    }

    private PeerStatus peer(Peer peer, @Nullable Beat told, long now) {
        Beat beat = Objects.requireNonNull(told);
        ReplicationStatus.Traffic traffic = parts.transport.traffic(peer.session());
        long has = peer.has().frames();
        return new PeerStatus(
                new PeerStatus.Identity(
                        peer.session(),
                        beat.self().uuid(),
                        beat.self().name(),
                        beat.self().clientAddress()),
                beat.state(),
                beat.standing().complete(),
                has,
                lag(peer, beat, has, now),
                traffic.bytesIn(),
                traffic.bytesOut(),
                millis(now - peer.lastHeard()),
                comparison(peer.agreement(), now));
    }

    /// Of one that joins, what it lacks is counted from when it came: it has not kept anybody waiting for longer.
    private PeerStatus.Lag lag(Peer peer, Beat beat, long has, long now) {
        PeerStatus.Lag lag = times.lag(has, parts.sender.head(), now);
        return beat.state() == JoinState.READY
                ? lag
                : new PeerStatus.Lag(lag.frames(), Math.min(lag.millis(), millis(now - peer.since())));
    }

    private static PeerStatus.@Nullable Comparison comparison(Peer.@Nullable Agreement last, long now) {
        return last == null
                ? null
                : new PeerStatus.Comparison(last.partitionsThatDiffered() == 0, millis(now - last.nanos()));
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
