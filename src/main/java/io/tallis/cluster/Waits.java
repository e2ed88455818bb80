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

/// Those who wait until other nodes have what this one had when they asked: clients until they have all that was ever
/// counted here, who stops the node until they have what others counted too.
///
///     asked ──all that was due by then is sent: the target is the head──▶ targeted ──enough have it──▶ answered
///
/// Those who ask while others wait for that are next: what is due grows all the time, and each group is about what was
/// due when it began. Time may be up in either state.
///
/// Beyond [#MOST] that wait at a time, a client is answered at once that nobody has it.
final class Waits {
    static final int MOST = 10_000;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Sessions sessions;
    private final OwnChanges changes;
    private final List<Wait> waiting = new ArrayList<>();
    private List<Wait> next = new ArrayList<>();
    private List<Wait> watching = List.of();

    /// Before this, and while the others stand as they did, nobody's wait is over.
    private long due;

    private int stand;

    Waits(Sessions sessions, OwnChanges changes) {
        this.sessions = sessions;
        this.changes = changes;
    }

    /// What somebody waits for.
    enum Scope {
        /// What was counted here, in this life of the node and in former ones.
        OWN,
        /// All that is here.
        ALL
    }

    /// One who waits until `deadline`, and is forgotten when it no longer listens. What it waits for is null until all
    /// that was due is sent, or is not waited for.
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

    /// Changes are about to be sent.
    void beforeSending() {
        if (watching.isEmpty() && !next.isEmpty()) {
            watching = next;
            next = new ArrayList<>();
            changes.watch();
        }
    }

    /// Frames up to `head` are sent. Returns whether somebody waits, who did not before, to hear that others have them.
    boolean sent(long head) {
        if (watching.isEmpty() || !changes.watchedIsSent()) {
            return false;
        }
        boolean any = false;
        Known own = new Known(head, sessions.firstNews());
        for (Wait wait : watching) {
            wait.own = own;
            wait.all = wait.scope == Scope.ALL ? sessions.known(head) : null;
            any |= count(wait) < wait.wanted;
        }
        watching = List.of();
        due = Long.MIN_VALUE;
        return any;
    }

    /// Answers those whose wait is over. Returns when to be called again.
    long tick(long now) {
        int before = stand;
        stand = 0;
        sessions.peers().all().forEach(peer -> stand = 31 * stand + standOf(peer));
        if (now >= due || stand != before) {
            due = answerSome(now);
        }
        return due;
    }

    private static int standOf(Peer peer) {
        return 31 * peer.has().hashCode() + System.identityHashCode(peer.beat());
    }

    private long answerSome(long now) {
        waiting.removeIf(wait -> isOver(wait, now));
        return waiting.stream()
                .mapToLong(wait -> Math.min(wait.deadline, now + LOOK_NANOS))
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

    /// How many other nodes have what is waited for; none as long as that is not known. A node that was restarted
    /// counts
    /// once, though its former session is reachable for a while; so do copies of a node, which have its UUID.
    private int count(Wait wait) {
        Known own = wait.own;
        Vector all = wait.all;
        if (own == null) {
            return 0;
        }
        return (int) sessions.peers().all().stream()
                .filter(peer -> peer.uuid() != null && peer.has().covers(own))
                .filter(peer -> all == null || sessions.isWith(peer, all))
                .map(Peer::uuid)
                .distinct()
                .count();
    }
}
