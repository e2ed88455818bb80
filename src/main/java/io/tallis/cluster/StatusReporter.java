package io.tallis.cluster;

import io.tallis.cluster.delta.Answers;
import io.tallis.cluster.delta.Gaps;
import io.tallis.cluster.delta.Rotation;
import io.tallis.cluster.frame.MeteredTransport;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.join.Joining;
import io.tallis.cluster.peer.Attendance;
import io.tallis.cluster.peer.Beat;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Sessions;
import io.tallis.cluster.pull.Pulls;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Collects the [ReplicationStatus] from the parts of the replicator. Belongs to the replicator's thread.
final class StatusReporter {
    /// The parts that it asks.
    record Parts(
            Sessions sessions,
            Sender sender,
            MeteredTransport transport,
            Joining joining,
            Pulls pulls,
            Gaps gaps,
            Answers answers,
            Rotation rotation,
            DroppedFrames dropped,
            Supplier<ReplicationStatus.Folds> folds,
            Supplier<ReplicationStatus.Purges> purges,
            Attendance attendance,
            IntSupplier nodesExpected,
            TimeOfDay timeOfDay) {}

    private final Parts parts;
    private final FrameTimes times = new FrameTimes();
    private long head;

    /// The highest percentage of the join that was shown.
    private int farthest;

    private JoinState last = JoinState.LOADING;

    StatusReporter(Parts parts) {
        this.parts = parts;
    }

    /// Notes when DELTA frames were sent. To be called after each attempt to send.
    void noteHead(long now) {
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
                new ReplicationStatus.Frames(transport.framesOut(), transport.framesIn(), parts.dropped.byReason()),
                new ReplicationStatus.Repairs(
                        parts.gaps.asked(),
                        parts.answers.answered(),
                        pulls.roundsComplete(),
                        pulls.fruitless(),
                        parts.rotation.bytes(),
                        transport.repairBytes()),
                transport.traffic(),
                parts.folds.get(),
                parts.purges.get(),
                new ReplicationStatus.Nodes(
                        parts.attendance.here(now), parts.nodesExpected.getAsInt(), parts.attendance.away(now)),
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

    /// The progress of the join in percent. A node that joins may need several rounds of pulls, of which each begins at
    /// 0: the highest value is shown until a new join begins. The pulls of a complete node that serves do not count.
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

    /// The reachable peers that have sent a beat.
    private List<PeerStatus> peers(long now) {
        return parts.sessions.peers().all().stream()
                .sorted(Comparator.comparing(Peer::session))
                .filter(peer -> peer.beat() != null)
                .map(peer -> peer(peer, peer.beat(), now))
                .toList();
    }

    private PeerStatus peer(Peer peer, @Nullable Beat newest, long now) {
        Beat beat = Objects.requireNonNull(newest);
        MeteredTransport.Traffic traffic = parts.transport.traffic(peer.session());
        long acknowledged = peer.acknowledged().frames();
        return new PeerStatus(
                new PeerStatus.Identity(
                        peer.session(),
                        beat.self().uuid(),
                        beat.self().name(),
                        beat.self().addresses()),
                beat.state(),
                beat.standing().complete(),
                acknowledged,
                lag(peer, beat, acknowledged, now),
                traffic.bytesIn(),
                traffic.bytesOut(),
                millis(now - peer.lastHeard()),
                parts.timeOfDay.aheadMillis(peer),
                beat.vitals(),
                comparison(peer.agreement(), now));
    }

    /// The lag of a peer that joins counts from when it became reachable, though it lacks much older frames.
    private PeerStatus.Lag lag(Peer peer, Beat beat, long acknowledged, long now) {
        PeerStatus.Lag lag = times.lag(acknowledged, parts.sender.head(), now);
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
