package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// The way of a session from a loaded disk to serving data; drawn in `replication.md`.
///
/// A session has a [Share] of what there is, and its beats tell it. Who came with counters is *whole*, but for one
/// whose counters are of a first join that was cut short: that one has a *part*. So has one that came with none, as
/// soon as it has any, until a pull of whole ones has come to its end. Who has a part, or nothing and sees one that
/// has a part, waits for one that serves, however long that takes: else two of them would take their parts for all
/// that there is. Who is whole serves whether they do or not.
final class Joining {
    /// How long the beats of a member are waited for, before those of others have to do; more for each member, since
    /// the more there are, the more seldom they are sent.
    private static final long BEATS_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

    private static final long BEATS_NANOS_PER_MEMBER = TimeUnit.MILLISECONDS.toNanos(20);

    /// After so long people are told that the node waits for others.
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /// Who was not called for longer has stood still.
    private static final long STANDSTILL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int MOST_PROVIDERS = 3;

    /// No answer has as many pieces.
    private static final long MOST_PIECES = 1L << 32;

    private final Sessions sessions;
    private final Pulls pulls;
    private final Gaps gaps;
    private final JoiningSettings settings;
    private final EventSink events;
    private final BooleanSupplier hasCounters;
    private final boolean broughtCounters;
    private final Map<ReplicaId, Vector> targets = new HashMap<>();

    /// Of those, who served when that was told: what others had then may have been a part.
    private final Set<ReplicaId> serving = new HashSet<>();

    private JoinState state = JoinState.SEEKING;
    private long began = Long.MIN_VALUE;
    private long lastTick = Long.MIN_VALUE;
    private long viewSince;
    private long pulledSeen;
    private long answeredSeen = Long.MIN_VALUE;
    private boolean viewed;
    private boolean metOthers;
    private boolean metServing;
    private long servingSeen;
    private long roundsBefore;
    private long donorMissedAt = Long.MAX_VALUE;
    private Share share;
    private boolean held;
    private boolean toldOfHold;
    private String toldOfWait = "";
    private long waitsSince = Long.MAX_VALUE;

    /// `hasCounters` tells whether there is any counter here: at first those that the disk had, later what others told
    /// too, even before they are in view.
    Joining(
            Sessions sessions,
            Pulls pulls,
            Gaps gaps,
            JoiningSettings settings,
            EventSink events,
            BooleanSupplier hasCounters) {
        this.hasCounters = hasCounters;
        broughtCounters = hasCounters.getAsBoolean();
        this.sessions = sessions;
        this.pulls = pulls;
        this.gaps = gaps;
        this.settings = settings;
        this.events = events;
        share = settings.hasPart() ? Share.PART : broughtCounters ? Share.WHOLE : Share.NONE;
        held = settings.hold();
    }

    JoinState state() {
        return state;
    }

    /// Of one that serves nobody asks where it has it from.
    Share share() {
        return state == JoinState.READY ? Share.WHOLE : share;
    }

    /// Whether an operator keeps the node silent.
    boolean held() {
        return held;
    }

    /// Whether missing frames are asked for: not as long as a pull is about to bring them.
    boolean asksForFrames() {
        return state == JoinState.CATCHING_UP || state == JoinState.READY;
    }

    void view(long now) {
        boolean alone = sessions.present().isEmpty();
        if (!viewed || alone) {
            viewed = true;
            viewSince = now;
        }
        metOthers |= !alone;
    }

    void departed(ReplicaId session) {
        targets.remove(session);
        serving.remove(session);
    }

    /// Ends the silence, whatever is missing.
    void ready() {
        held = false;
        if (state != JoinState.READY) {
            become(JoinState.READY, "is ready, as an operator wants");
        }
    }

    /// Goes on as far as possible. Returns when to be called again.
    long tick(long now) {
        if (began == Long.MIN_VALUE) {
            began = now;
        }
        if (state == JoinState.READY) {
            return Long.MAX_VALUE;
        }
        leaveOutStandstill(now);
        if (share == Share.NONE && hasCounters.getAsBoolean()) {
            share = Share.PART;
        }
        if (someoneServes()) {
            metServing = true;
            servingSeen = now;
        }
        if (aloneTimeout().equals(JoiningSettings.FOR_EVER) && !someoneServes()) {
            // It has nobody to get in step with, however long that lasts.
            began = now;
        }
        if (getsOn()) {
            began = now;
        }
        if (!held && now - began >= settings.joinTimeout().toNanos()) {
            become(
                    JoinState.READY,
                    "is ready without being in step: " + settings.joinTimeout().toSeconds()
                            + " s went by without getting on");
            return now;
        }
        switch (state) {
            case SEEKING -> seek(now);
            case PULLING -> afterPull();
            case CATCHING_UP -> catchUp(now);
            case LOADING, READY -> {}
        }
        return now + LOOK_NANOS;
    }

    /// A process that stood still has neither waited for others nor heard them meanwhile.
    private void leaveOutStandstill(long now) {
        long stoodStill = now - lastTick - STANDSTILL_NANOS;
        if (lastTick != Long.MIN_VALUE && stoodStill > 0) {
            began = Math.min(now, began + stoodStill);
            viewSince = Math.min(now, viewSince + stoodStill);
            servingSeen = Math.min(now, servingSeen + stoodStill);
            waitsSince = Long.MAX_VALUE;
            donorMissedAt = donorMissedAt == Long.MAX_VALUE ? donorMissedAt : donorMissedAt + stoodStill;
        }
        lastTick = now;
    }

    /// How long it waits for others where nobody is, or nobody that serves.
    private Duration aloneTimeout() {
        return lacksSomething() ? JoiningSettings.FOR_EVER : settings.aloneTimeout();
    }

    /// Whether it knows of counters that it has not.
    private boolean lacksSomething() {
        return share == Share.PART
                || (share == Share.NONE && sessions.present().stream().anyMatch(peer -> peer.share() == Share.PART));
    }

    /// Whether it has come further than it ever was, with what it pulls or with the answers that it needs.
    private boolean getsOn() {
        long pulled = pulls.progress();
        // Targets move with each beat as long as it seeks.
        long answered = state == JoinState.CATCHING_UP ? answered() : Long.MIN_VALUE;
        boolean further = pulled > pulledSeen || answered > answeredSeen;
        answeredSeen = pulled > pulledSeen ? answered : Math.max(answered, answeredSeen);
        pulledSeen = Math.max(pulled, pulledSeen);
        return further;
    }

    /// Grows with each piece of an answer, and more with the last one.
    private long answered() {
        return targets.values().stream()
                .flatMap(target -> target.entries().entrySet().stream())
                .filter(entry -> !sessions.known(entry.getKey()).covers(entry.getValue()))
                .mapToLong(entry -> gaps.pieces(entry.getKey()) - MOST_PIECES)
                .sum();
    }

    private void seek(long now) {
        if (sessions.present().isEmpty()) {
            // Before the first view nobody knows who is there.
            boolean waitedLongEnough = now - viewSince >= aloneTimeout().toNanos();
            if (viewed && !settings.expectsOthers() && !metOthers && broughtCounters && !lacksSomething()) {
                catchUpThenServe("is ready, alone");
            } else if (viewed && waitedLongEnough) {
                catchUpThenServe(
                        "is ready, alone, with what it has itself: nobody else is there. Others that are expected may be"
                                + " elsewhere, or have another cluster-name or cluster-key-file");
            } else if (viewed) {
                tellOfWait(
                        "finds nobody and waits, as " + reasonToWait() + ": others may be elsewhere, or have another"
                                + " cluster-name or cluster-key-file. SYSTEM READY ends the wait",
                        now);
            }
            return;
        }
        long patience =
                BEATS_NANOS + BEATS_NANOS_PER_MEMBER * sessions.members().size();
        List<Peer> heard = sessions.present().stream()
                .filter(peer -> peer.beat() != null && (now - peer.since() >= patience || !lacksAbsent(peer)))
                .toList();
        boolean moreToHear =
                sessions.present().stream().anyMatch(peer -> !heard.contains(peer) && now - peer.since() < patience);
        if (heard.isEmpty() && !moreToHear) {
            tellOfWait("hears nothing from those that are there, and waits for it: see SYSTEM NODES", now);
        }
        if (heard.isEmpty() || moreToHear) {
            return;
        }
        heard.forEach(peer -> targets.put(peer.session(), standOf(peer)));
        heard.stream().filter(Peer::ready).map(Peer::session).forEach(serving::add);
        if (!targets.values().stream().allMatch(sessions::covers)) {
            pull(providers(heard, now), now);
            return;
        }
        Optional<Peer> untold = heard.stream().filter(this::lacksAbsent).max(Comparator.comparing(Peer::ready));
        if (untold.isPresent()) {
            // From nobody else: only what all providers of a round know is known to be there.
            pull(List.of(untold.get()), now);
        } else if (mayTrustThoseThere(now)) {
            become(JoinState.CATCHING_UP, "is in step, nobody knows more");
        } else {
            tellOfWait(
                    "is in step with those that are there, none of which serves, and waits for one that does, as "
                            + reasonToWait() + ". SYSTEM READY, on one of them, ends the wait",
                    now);
        }
    }

    private String reasonToWait() {
        return lacksSomething() ? "there is more than it has" : "cluster-alone-timeout wants it";
    }

    private void tellOfWait(String what, long now) {
        waitsSince = Math.min(waitsSince, now);
        if (!toldOfWait.equals(what) && now - waitsSince >= WAIT_NANOS) {
            toldOfWait = what;
            events.happened(what);
        }
    }

    private void pull(List<Peer> providers, long now) {
        if (!providers.isEmpty() && pulls.idle()) {
            roundsBefore = pulls.ended();
            pulls.start(providers, now);
            become(JoinState.PULLING, "joins, and pulls from " + String.join(", ", pulls.providers()));
        }
    }

    /// Whether it has told of absent sessions only by a hash. It may be so for long: while it hears one that is absent
    /// count, the hash is a new one with each of its beats. A pull brings what it has then.
    private boolean lacksAbsent(Peer peer) {
        return peer.hasMoreToTell(sessions.hashOfAbsent());
    }

    /// All that a peer has told that it has.
    private static Vector standOf(Peer peer) {
        Vector stand = new Vector();
        Beat beat = peer.beat();
        if (beat != null) {
            beat.vector().entries().forEach(stand::raise);
            stand.raise(peer.session(), new Known(peer.head(), beat.news()));
        }
        peer.absent().entries().forEach(stand::raise);
        return stand;
    }

    /// The donor that the operator named, who is waited for; else some that serve, else the one that may know most.
    private List<Peer> providers(Collection<Peer> heard, long now) {
        if (!settings.donor().isEmpty()) {
            List<Peer> donor = heard.stream()
                    .filter(peer -> peer.name().equals(settings.donor()))
                    .limit(1)
                    .toList();
            if (!donor.isEmpty() || now < whenDonorIsMissed(now)) {
                return donor;
            }
        }
        List<Peer> serving = new ArrayList<>(heard.stream().filter(Peer::ready).toList());
        if (serving.isEmpty()) {
            return heard.stream()
                    .max(Comparator.comparing((Peer peer) -> peer.share() == Share.WHOLE)
                            .thenComparingInt(peer -> standOf(peer).entries().size()))
                    .stream()
                    .toList();
        }
        return serving.subList(0, Math.min(serving.size(), MOST_PROVIDERS));
    }

    private long whenDonorIsMissed(long now) {
        if (donorMissedAt == Long.MAX_VALUE) {
            // Else joining would time out while it waits for the donor.
            long half = settings.joinTimeout().toNanos() / 2 - (now - began);
            donorMissedAt = now + Math.max(0, Math.min(settings.aloneTimeout().toNanos(), half));
            events.happened(
                    "waits for its donor " + settings.donor() + ", who is not there, before it pulls from others");
        }
        return donorMissedAt;
    }

    private void afterPull() {
        if (!pulls.idle()) {
            return;
        }
        if (pulls.ended() == roundsBefore) {
            become(JoinState.SEEKING, "has nobody to pull from, and looks again who is there");
        } else {
            share = pulls.wereOfWhole() ? Share.WHOLE : share;
            // They had more by then than they had told, and of several what all of them had is taken over only.
            pulls.vectors().forEach((provider, had) -> targets.computeIfPresent(provider, (_, told) -> told.join(had)));
            become(JoinState.CATCHING_UP, "pulled; catches up");
        }
    }

    private void catchUp(long now) {
        if (!targets.values().stream().allMatch(target -> sessions.covers(target) && sessions.keeps(target))) {
            return;
        }
        if (someoneServes()) {
            if (isInStepWithOneThatServes()) {
                catchUpThenServe("is ready");
            } else {
                become(JoinState.SEEKING, "sees one that serves and was not there before, and looks what that has");
            }
        } else if (!missesSomeone()) {
            catchUpThenServe("is ready");
        } else if (mayTrustThoseThere(now)) {
            catchUpThenServe("is ready, with what those have who join too: nobody is there who serves");
        } else {
            become(JoinState.SEEKING, "is in step with others that join too, and waits for one that serves");
        }
    }

    private boolean isInStepWithOneThatServes() {
        return sessions.present().stream().anyMatch(peer -> peer.ready() && serving.contains(peer.session()));
    }

    /// Whether it is enough to have what those have who are there. When none of them serves, all may be waiting for the
    /// same one: one of them that has told nothing yet, the one that this node saw serving, the one that those have a
    /// part of who have one, or, where nobody has any counter, one that was said to be there. It is waited for as one
    /// that is alone waits.
    private boolean mayTrustThoseThere(long now) {
        return someoneServes()
                || !missesSomeone()
                || now - Math.max(viewSince, servingSeen) >= aloneTimeout().toNanos();
    }

    private boolean missesSomeone() {
        return lacksSomething()
                || metServing
                || sessions.present().stream().anyMatch(peer -> peer.beat() == null)
                || (settings.expectsOthers() && !hasCounters.getAsBoolean());
    }

    private boolean someoneServes() {
        return sessions.present().stream().anyMatch(Peer::ready);
    }

    private void catchUpThenServe(String what) {
        if (!held) {
            become(JoinState.READY, what);
        } else if (!toldOfHold) {
            toldOfHold = true;
            events.happened("is in step and kept silent by cluster-hold, until SYSTEM READY");
        }
    }

    private void become(JoinState next, String what) {
        state = next;
        waitsSince = Long.MAX_VALUE;
        events.happened(what);
        if (next == JoinState.READY) {
            targets.clear();
            serving.clear();
        }
    }
}
