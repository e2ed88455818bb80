package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// The way of a session from a loaded disk to serving data; drawn in `replication.md`.
///
/// A session has a share of what there is ([OwnShare]), and its beats tell it. Who has a part, or nothing and sees one
/// that has a part, waits for one that serves, however long that takes: else two of them would take their parts for
/// all that there is. Who is whole serves whether they do or not.
final class Joining {
    /// How long the beats of a member are waited for, before those of others have to do; more for each member, since
    /// the more there are, the more seldom they are sent.
    private static final long BEATS_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

    private static final long BEATS_NANOS_PER_MEMBER = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /// Who was not called for longer has stood still.
    private static final long STANDSTILL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// Those who wait for one that serves pull from each other so seldom: what they get is of no use before it comes.
    private static final long LEAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Sessions sessions;
    private final Pulls pulls;
    private final JoiningSettings settings;
    private final EventSink events;
    private final LongSupplier cells;
    private final boolean broughtCounters;
    private final Targets targets;
    private final Headway headway;
    private final OwnShare share;
    private final PartInService part;
    private final ProviderChoice choice;
    private final WaitNews news;
    private JoinState state = JoinState.SEEKING;
    private long began = Long.MIN_VALUE;
    private long lastTick = Long.MIN_VALUE;
    private long viewSince;

    /// Since when it has not stood still.
    private long awakeSince = Long.MIN_VALUE;

    /// Until when it pulls from nobody while nobody serves, and for how long that was.
    private long pausesUntil = Long.MIN_VALUE;

    private long pause;
    private boolean viewed;
    private boolean metOthers;
    private boolean metServing;
    private long servingSeen;
    private long roundsBefore;
    private boolean held;

    /// What was told since somebody came or went: once is enough.
    private final Set<String> told = new HashSet<>();

    /// `cells` is what [OwnShare] has to know.
    Joining(Sessions sessions, Pulls pulls, Gaps gaps, JoiningSettings settings, EventSink events, LongSupplier cells) {
        this.cells = cells;
        broughtCounters = cells.getAsLong() > 0;
        this.sessions = sessions;
        this.pulls = pulls;
        this.settings = settings;
        this.events = events;
        targets = new Targets(sessions, gaps);
        headway = new Headway(pulls, targets);
        share = new OwnShare(sessions, targets, settings, cells, () -> pulls.gainedEver() + gaps.gained());
        part = new PartInService(sessions, pulls, targets, share, events);
        choice = new ProviderChoice(settings, events);
        news = new WaitNews(events, share);
        held = settings.hold();
    }

    JoinState state() {
        return state;
    }

    OwnShare share() {
        return share;
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
        pause = 0;
        pausesUntil = Long.MIN_VALUE;
        told.clear();
    }

    void departed(ReplicaId session) {
        targets.departed(session);
    }

    /// Ends the silence, whatever is missing.
    void ready() {
        held = false;
        share.isWanted();
        if (state == JoinState.READY && !share.isWhole()) {
            events.happened("waits no more for what those have who are gone, as an operator wants");
        } else if (state != JoinState.READY) {
            become(
                    JoinState.READY,
                    share.isWhole()
                            ? "is ready, as an operator wants"
                            : "is ready, as an operator wants, with what it has so far");
        }
    }

    /// Goes on as far as possible. Returns when to be called again.
    long tick(long now) {
        if (began == Long.MIN_VALUE) {
            began = now;
        }
        leaveOutStandstill(now);
        boolean wasWhole = share.isWhole();
        if (state == JoinState.READY) {
            long due = part.tick(now);
            if (wasWhole && !share.isWhole()) {
                pulls.giveUp();
            }
            return due;
        }
        share.look(now);
        if (wasWhole && !share.isWhole()) {
            pulls.giveUp();
            become(JoinState.SEEKING, "looks again what those have who are there");
        }
        if (someoneServes()) {
            metServing = true;
            servingSeen = now;
        }
        if (aloneTimeout().equals(JoiningSettings.FOR_EVER) && !someoneServes()) {
            // It has nobody to get in step with, however long that lasts.
            began = now;
        }
        // Targets move with each beat as long as it seeks.
        if (headway.isMade(state == JoinState.CATCHING_UP)) {
            began = now;
        }
        if (!held && now - began >= settings.joinTimeout().toNanos()) {
            share.serves();
            become(
                    JoinState.READY,
                    "is ready without being in step: " + settings.joinTimeout().toSeconds()
                            + " s went by without getting on");
            return now;
        }
        switch (state) {
            case SEEKING -> seek(now);
            case PULLING -> afterPull(now);
            case CATCHING_UP -> catchUp(now);
            case LOADING, READY -> {}
        }
        return now + LOOK_NANOS;
    }

    /// A process that stood still has neither waited for others nor heard them meanwhile.
    private void leaveOutStandstill(long now) {
        if (lastTick != Long.MIN_VALUE && now - lastTick > STANDSTILL_NANOS) {
            long stoodStill = now - lastTick - LOOK_NANOS;
            awakeSince = now;
            began = Math.min(now, began + stoodStill);
            viewSince = Math.min(now, viewSince + stoodStill);
            servingSeen = Math.min(now, servingSeen + stoodStill);
            news.stoodStill(stoodStill);
            choice.stoodStill(stoodStill);
            share.stoodStill(stoodStill);
            part.stoodStill(stoodStill);
        }
        lastTick = now;
    }

    /// How long it waits for others where nobody is, or nobody that serves.
    private Duration aloneTimeout() {
        return share.lacksSomething() ? JoiningSettings.FOR_EVER : settings.aloneTimeout();
    }

    private void seek(long now) {
        if (sessions.present().isEmpty()) {
            // Before the first view nobody knows who is there.
            boolean waitedLongEnough = now - viewSince >= aloneTimeout().toNanos();
            if (viewed && !settings.expectsOthers() && !metOthers && broughtCounters && !share.lacksSomething()) {
                catchUpThenServe("is ready, alone");
            } else if (viewed && waitedLongEnough) {
                catchUpThenServe(
                        "is ready, alone, with what it has itself: nobody else is there, and who comes later may"
                                + " bring more. If others should be, " + WaitNews.ELSEWHERE);
            } else if (viewed) {
                news.findsNobody(now);
            }
            return;
        }
        List<Peer> heard = sessions.present().stream()
                .filter(peer -> peer.beat() != null && (isLongHere(peer, now) || sessions.hasHeardAllOf(peer)))
                .toList();
        boolean moreToHear =
                sessions.present().stream().anyMatch(peer -> !heard.contains(peer) && !isLongHere(peer, now));
        if (heard.isEmpty() && !moreToHear) {
            seekBesideMutes(now);
        }
        if (heard.isEmpty() || moreToHear) {
            return;
        }
        targets.setTo(heard);
        Optional<Peer> untold =
                heard.stream().filter(peer -> !sessions.hasHeardAllOf(peer)).max(Comparator.comparing(Peer::ready));
        boolean inStep = targets.covered() && untold.isEmpty();
        if (inStep && mayTrustThoseThere(now)) {
            become(JoinState.CATCHING_UP, "is in step, nobody knows more");
        } else if (inStep || (now < pausesUntil && !someoneServes())) {
            news.seesNobodyServe(now);
        } else if (targets.covered()) {
            // From it alone: only what all providers of a round know is known to be there.
            pull(untold.stream().toList(), now);
        } else {
            pull(choice.among(talking(heard), now - began, now), now);
        }
    }

    /// Those that are not silent, if any are left. A donor is waited for.
    private List<Peer> talking(List<Peer> heard) {
        if (!settings.donor().isEmpty()) {
            return heard;
        }
        List<Peer> talking =
                heard.stream().filter(peer -> !sessions.isSilent(peer)).toList();
        return talking.isEmpty() ? heard : talking;
    }

    /// One that is whole serves after a while, as if nobody were there; others have more reason to wait.
    private void seekBesideMutes(long now) {
        if (share.isWhole() && mayTrustThoseThere(now)) {
            catchUpThenServe("is ready, with what it has itself: those that are there tell nothing");
        } else {
            news.hearsNothing(now);
        }
    }

    /// Whether it would have been heard by now, had it anything to tell.
    private boolean isLongHere(Peer peer, long now) {
        return now - Math.max(awakeSince, peer.since())
                >= BEATS_NANOS + BEATS_NANOS_PER_MEMBER * sessions.members().size();
    }

    private void pull(List<Peer> providers, long now) {
        if (!providers.isEmpty() && pulls.idle()) {
            roundsBefore = pulls.ended();
            pulls.start(providers, now);
            become(JoinState.PULLING, "joins, and pulls from " + String.join(", ", pulls.providers()));
        }
    }

    private void afterPull(long now) {
        if (!pulls.idle()) {
            return;
        }
        if (pulls.ended() == roundsBefore) {
            pauseBeforeNextPull(now);
            become(JoinState.SEEKING, "has nobody to pull from, and looks again who is there");
        } else {
            // Of several what all of them had is taken over only.
            targets.raise(pulls.lastRound());
            become(JoinState.CATCHING_UP, "pulled; catches up");
        }
    }

    private void catchUp(long now) {
        if (!targets.kept()) {
            news.lacks(targets.lacking(), now);
            return;
        }
        if (someoneServes()) {
            if (targets.areOfOneThatServes()) {
                catchUpThenServe("is ready");
            } else {
                become(JoinState.SEEKING, "sees one that serves and was not there before, and looks what that has");
            }
        } else if (mayTrustThoseThere(now)) {
            catchUpThenServe("is ready, in step with those that are there, none of which serves yet");
        } else {
            pauseBeforeNextPull(now);
            become(JoinState.SEEKING, "is in step with others that join too, and waits for one that serves");
        }
    }

    private void pauseBeforeNextPull(long now) {
        pause = Math.clamp(2 * pause, LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS);
        pausesUntil = now + pause;
    }

    /// Whether it is enough to have what those have who are there. When none of them serves, all may be waiting for the
    /// same one: one of them that has told nothing yet, the one that this node saw serving, the one that those have a
    /// part of who have one, or, where nobody has any counter, one that was said to be there. It is waited for as one
    /// that is alone waits.
    private boolean mayTrustThoseThere(long now) {
        boolean waitedLongEnough =
                now - Math.max(viewSince, servingSeen) >= aloneTimeout().toNanos();
        return someoneServes() || !missesSomeone() || (waitedLongEnough && !mayHearMore(now));
    }

    private boolean mayHearMore(long now) {
        return sessions.present().stream().anyMatch(peer -> peer.beat() == null && !isLongHere(peer, now));
    }

    private boolean missesSomeone() {
        return share.lacksSomething()
                || metServing
                || sessions.present().stream().anyMatch(peer -> peer.beat() == null)
                || (settings.expectsOthers() && cells.getAsLong() == 0);
    }

    private boolean someoneServes() {
        return sessions.present().stream().anyMatch(Peer::ready);
    }

    private void catchUpThenServe(String what) {
        if (!held) {
            share.serves();
            become(JoinState.READY, what);
        } else {
            tell("is kept silent by cluster-hold until SYSTEM READY; then it " + what);
        }
    }

    private void become(JoinState next, String what) {
        state = next;
        news.over();
        tell(what);
        if (next == JoinState.READY) {
            targets.clear();
        }
    }

    private void tell(String what) {
        if (told.add(what)) {
            events.happened(what);
        }
    }
}
