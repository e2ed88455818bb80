package io.tallis.cluster;

import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// The [Share] that this session has, and how it comes to have all.
///
/// Who came with counters is *whole*, but for one whose counters are of a first join that was cut short: that one has a
/// *part*. So has one that came with none, as soon as it has any. It is whole when its journal has all that those have
/// told, or had when it pulled from them, who are there and whole: each of them, since one may have begun with nothing.
/// Else it is by a word: where it never saw anybody who may have more, or where an operator has it serve, nobody whole
/// comes in reach for a while, and it has what those have who are there. Whether it serves meanwhile is another matter.
///
/// Who is whole and has less than half of what another has that is whole has a part again: it began by itself where
/// others are, or was away for very long. Before its disk knows that, it asks for nothing more. Of any two, one at most
/// has so much less, so one stays whole.
final class OwnShare {
    /// How long nobody whole was in reach when an operator's word is taken: views and beats take a while to come.
    private static final long LONE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /// How often it counts what it has, and compares.
    private static final long COUNT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Sessions sessions;
    private final Targets targets;
    private final EventSink events;
    private final LongSupplier cells;
    private final long few;
    private Share share;
    private boolean metMore;
    private boolean wanted;
    private boolean byWord;
    private long loneSince = Long.MAX_VALUE;
    private long nextCount = Long.MIN_VALUE;
    private boolean isToBeRemembered;

    /// `cells` tells how many are here: at first those that the disk had, which may be a part, later what others
    /// told too, even before they are in view.
    OwnShare(Sessions sessions, Targets targets, JoiningSettings settings, EventSink events, LongSupplier cells) {
        this.sessions = sessions;
        this.targets = targets;
        this.events = events;
        this.cells = cells;
        few = settings.few();
        share = cells.getAsLong() == 0 ? Share.NONE : settings.hasPart() ? Share.PART : Share.WHOLE;
    }

    Share share() {
        return share;
    }

    boolean isWhole() {
        return share == Share.WHOLE;
    }

    /// Whether it is by an operator's word.
    boolean isWholeByWord() {
        return byWord;
    }

    /// Whether it knows of counters that it has not.
    boolean lacksSomething() {
        return share == Share.PART
                || (share == Share.NONE && sessions.present().stream().anyMatch(peer -> peer.share() == Share.PART));
    }

    /// Whether it was whole and has a part now, which its disk does not know yet.
    boolean isToBeRemembered() {
        return isToBeRemembered;
    }

    /// The disk knows whenever it has a part.
    void isRemembered() {
        isToBeRemembered = false;
    }

    /// Takes note of what came.
    void look(long now) {
        if (isWhole()) {
            compare(now);
        } else {
            lookForRest(now);
        }
    }

    private void compare(long now) {
        if (now < nextCount) {
            return;
        }
        nextCount = now + COUNT_NANOS;
        oneWithFarMore().ifPresent(peer -> {
            share = Share.PART;
            isToBeRemembered = true;
            wanted = false;
            // They are of a time when it seemed to have all.
            targets.clear();
            events.happened("has less than half of what " + peer.name()
                    + " has: it takes what it has for a part until it has the rest");
        });
    }

    private Optional<Peer> oneWithFarMore() {
        return sessions.present().stream()
                .filter(peer -> peer.share() == Share.WHOLE)
                .max(Comparator.comparingLong(Peer::cells))
                .filter(peer -> (peer.cells() - few) / 2 > cells.getAsLong());
    }

    private void lookForRest(long now) {
        if (share == Share.NONE && cells.getAsLong() > 0) {
            share = Share.PART;
        }
        metMore |= sessions.present().stream().anyMatch(peer -> peer.ready() || peer.share() != Share.NONE);
        wanted &= !seesOneThatIsWhole();
        boolean mayHearMore = sessions.members().isEmpty() || seesOneThatToldNothing();
        loneSince = mayHearMore ? Long.MAX_VALUE : Math.min(loneSince, now);
        boolean isLongAlone = loneSince != Long.MAX_VALUE && now - loneSince >= LONE_NANOS;
        if (targets.keepAllOfWholes() && oneWithFarMore().isEmpty()) {
            becomeWhole();
        } else if (wanted && isLongAlone && targets.keepAllOfThosePresent()) {
            becomeWhole();
            byWord = true;
        }
    }

    private void becomeWhole() {
        share = Share.WHOLE;
        byWord = false;
        isToBeRemembered = false;
    }

    private boolean seesOneThatIsWhole() {
        return sessions.present().stream().anyMatch(peer -> peer.share() == Share.WHOLE);
    }

    private boolean seesOneThatToldNothing() {
        return sessions.present().stream().anyMatch(peer -> peer.beat() == null);
    }

    /// It comes to serve since it found nobody that does: then what it has is all that there is, unless it ever saw
    /// one that may have more, or sees one that tells nothing.
    void foundNobody() {
        if (share == Share.NONE && !metMore && !seesOneThatToldNothing()) {
            becomeWhole();
        }
    }

    /// An operator has it serve: where nobody whole is in reach, nor comes for a while, there is no more to wait for. A
    /// word that is given beside one that is whole is none about what that one has.
    void isWanted() {
        wanted = !seesOneThatIsWhole();
        loneSince = Long.MAX_VALUE;
    }

    /// The process has stood still for so long, and has heard nobody meanwhile.
    void stoodStill(long nanos) {
        loneSince += loneSince == Long.MAX_VALUE ? 0 : nanos;
    }
}
