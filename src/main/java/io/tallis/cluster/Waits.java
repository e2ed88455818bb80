package io.tallis.cluster;

import io.tallis.cluster.peer.Known;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Sessions;
import io.tallis.cluster.peer.Vector;
import io.tallis.keyspace.OwnChanges;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// A list of what waits for acknowledgements of peers: clients that said `WAIT`, until enough nodes have what was
/// counted here, and a shutdown, until one node has all that is here.
///
///     added ──changes made before are sent: the target is the head──▶ targeted ──peers acknowledge it──▶ answered
///
/// Waits get their target in groups: those that are added while a group waits for its changes to be sent form the next
/// one. Without that the target of each group would move with every new change. A wait may expire in either state.
///
/// At most [#MOST] waits are open; a further one is answered with 0 at once.
final class Waits {
    static final int MOST = 10_000;
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Sessions sessions;
    private final OwnChanges changes;
    private final List<Wait> waiting = new ArrayList<>();
    private List<Wait> next = new ArrayList<>();
    private List<Wait> targeting = List.of();

    /// No wait ends before this time unless the state of a peer changes.
    private long due;

    private int peersState;

    Waits(Sessions sessions, OwnChanges changes) {
        this.sessions = sessions;
        this.changes = changes;
    }

    /// What a wait is for.
    enum Scope {
        /// What was counted on this node, in this session and in earlier ones.
        OWN,
        /// All that is here, including the counts of others.
        ALL
    }

    /// A wait until `deadline`; removed without an answer when `listens` returns false. `own` and `all`, the target,
    /// are null until it has one; `all` stays null unless the scope needs it.
    private static final class Wait {
        private final Scope scope;
        private final long wanted;
        private final long deadline;
        private final BooleanSupplier listens;
        private final IntConsumer answer;
        private @Nullable Known own;
        private @Nullable Vector all;

        private Wait(Scope scope, long wanted, long deadline, BooleanSupplier listens, IntConsumer answer) {
            this.scope = scope;
            this.wanted = wanted;
            this.deadline = deadline;
            this.listens = listens;
            this.answer = answer;
        }
    }

    void add(Scope scope, long wanted, long deadline, BooleanSupplier listens, IntConsumer answer) {
        if (waiting.size() >= MOST || next.size() >= MOST) {
            answer.accept(0);
            return;
        }
        Wait wait = new Wait(scope, wanted, deadline, listens, answer);
        waiting.add(wait);
        next.add(wait);
        due = Math.min(due, deadline);
    }

    /// Changes are about to be sent. Begins a group.
    void beforeSending() {
        if (targeting.isEmpty() && !next.isEmpty()) {
            targeting = next;
            next = new ArrayList<>();
            changes.watch();
        }
    }

    /// Frames up to `head` are sent. Returns whether waits got their target and need acknowledgements of peers.
    boolean onSent(long head) {
        if (targeting.isEmpty() || !changes.watchedIsSent()) {
            return false;
        }
        boolean any = false;
        Known own = new Known(head, sessions.firstNews());
        for (Wait wait : targeting) {
            wait.own = own;
            wait.all = wait.scope == Scope.ALL ? sessions.known(head) : null;
            any |= count(wait) < wait.wanted;
        }
        targeting = List.of();
        due = Long.MIN_VALUE;
        return any;
    }

    /// Answers waits that are over. Returns when to be called again.
    long step(long now) {
        int before = peersState;
        peersState = 0;
        sessions.peers().all().forEach(peer -> peersState = 31 * peersState + stateOf(peer));
        if (now >= due || peersState != before) {
            due = answerDue(now);
        }
        return due;
    }

    private static int stateOf(Peer peer) {
        return 31 * peer.acknowledged().hashCode() + System.identityHashCode(peer.beat());
    }

    private long answerDue(long now) {
        waiting.removeIf(wait -> isOver(wait, now));
        return waiting.stream()
                .mapToLong(wait -> Math.min(wait.deadline, now + INTERVAL_NANOS))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private boolean isOver(Wait wait, long now) {
        int count = count(wait);
        if ((wait.own != null && count >= wait.wanted) || now >= wait.deadline) {
            wait.answer.accept(count);
            return true;
        }
        return !wait.listens.getAsBoolean();
    }

    /// How many other nodes have acknowledged the target; 0 while there is none. A node that was restarted counts once,
    /// though its former session is reachable for a while, and so do nodes with the same UUID.
    private int count(Wait wait) {
        Known own = wait.own;
        Vector all = wait.all;
        if (own == null) {
            return 0;
        }
        return (int) sessions.peers().all().stream()
                .filter(peer -> peer.uuid() != null && peer.acknowledged().covers(own))
                .filter(peer -> all == null || sessions.peerHasAll(peer, all))
                .map(Peer::uuid)
                .distinct()
                .count();
    }
}
