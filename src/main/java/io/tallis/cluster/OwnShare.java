package io.tallis.cluster;

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
/// Who is whole and has less than half of what another has that is or was whole has *less* from then on: it began by
/// itself where others are, or was away for very long. Before its disk knows that, it asks for nothing new. It is whole
/// again when it has the rest, or when nobody whole is in view any more and it has taken nothing of what it lacks. Of
/// any two, one at most has so much less.
final class OwnShare {
    /// How long nobody whole was in reach when an operator's word is taken: views and beats take a while to come.
    private static final long LONE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Sessions sessions;
    private final Targets targets;
    private final LongSupplier cells;
    private final LongSupplier taken;
    private final long few;
    private Share share;
    private boolean metMore;
    private boolean wanted;
    private boolean byWord;
    private long loneSince = Long.MAX_VALUE;

    /// How many cells one has that is or was whole, of those that are here.
    private long mostNow;

    /// Or, where this one is not whole, that were here since an operator said that there is no more.
    private long most;

    /// How many cells were here when they were counted last; they never become fewer.
    private long counted;

    private boolean isToBeRemembered;

    /// How much it had taken when it came to have less.
    private long takenBefore;

    /// Whether it serves as the first, and is whole unless somebody who has told nothing yet has more.
    private boolean mayBeFirst;

    /// `cells` tells how many are here: at first those that the disk had, which may be a part, later what others
    /// told too, even before they are in view. `taken` grows with what others give because it is asked for.
    OwnShare(Sessions sessions, Targets targets, JoiningSettings settings, LongSupplier cells, LongSupplier taken) {
        this.sessions = sessions;
        this.targets = targets;
        this.cells = cells;
        this.taken = taken;
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
        return share.lacksSomething()
                || (share == Share.NONE
                        && sessions.present().stream()
                                .anyMatch(peer -> peer.share().lacksSomething()));
    }

    /// Whether it was whole and has less now, which its disk does not know yet.
    boolean isToBeRemembered() {
        return isToBeRemembered;
    }

    /// The disk knows whenever it is not whole.
    void isRemembered() {
        isToBeRemembered = false;
    }

    /// Takes note of what came.
    void look(long now) {
        if (isWhole()) {
            compare();
        } else {
            lookForRest(now);
        }
    }

    private void compare() {
        if (seesOneWithFarMore()) {
            share = Share.LESS;
            isToBeRemembered = true;
            wanted = false;
            takenBefore = taken.getAsLong();
            // They are of a time when it seemed to have all.
            targets.clear();
        }
    }

    /// Whether one has far more that is or was whole; to one that is not whole it does not matter whether that is here
    /// still.
    private boolean seesOneWithFarMore() {
        mostNow = sessions.present().stream()
                .filter(peer -> peer.share().wasWhole())
                .mapToLong(Peer::cells)
                .max()
                .orElse(0);
        // It is asked for changes before it is in view.
        mostNow = Math.max(mostNow, sessions.earshot().mostCellsOfWholes());
        most = isWhole() ? mostNow : Math.max(most, mostNow);
        return hasFarLessThan(most);
    }

    private boolean hasFarLessThan(long others) {
        long enough = (others - few) / 2;
        if (counted < enough) {
            counted = cells.getAsLong();
        }
        return counted < enough;
    }

    private void lookForRest(long now) {
        metMore |= sessions.present().stream().anyMatch(this::mayHaveMore);
        mayBeFirst &= !metMore;
        if (share == Share.NONE && !mayBeFirst && cells.getAsLong() > 0) {
            share = Share.PART;
        }
        wanted &= !seesOneThatIsWhole();
        boolean mayHearMore = sessions.members().isEmpty() || seesOneThatToldNothing();
        loneSince = mayHearMore ? Long.MAX_VALUE : Math.min(loneSince, now);
        boolean isLongAlone = loneSince != Long.MAX_VALUE && now - loneSince >= LONE_NANOS;
        if (share == Share.LESS && taken.getAsLong() == takenBefore && !seesOneThatToldNothing()) {
            // Of those that are not here any more nothing came.
            most = 0;
        }
        boolean hasAll = !seesOneWithFarMore() && targets.keepAllOfWholes();
        if (hasAll || (mayBeFirst && !seesOneThatToldNothing()) || hasTakenNothingOfOneThatIsGone()) {
            becomeWhole();
        } else if (wanted && isLongAlone && targets.keepAllOfThosePresent()) {
            becomeWhole();
            byWord = true;
        }
    }

    /// A part may be of what this one has, where it may be the first.
    private boolean mayHaveMore(Peer peer) {
        return switch (peer.share()) {
            case NONE -> false;
            case PART -> !mayBeFirst || (peer.cells() - few) / 2 > cells.getAsLong();
            case LESS, WHOLE -> true;
        };
    }

    private boolean hasTakenNothingOfOneThatIsGone() {
        return share == Share.LESS
                && !seesOneThatIsWhole()
                && !hasFarLessThan(mostNow)
                && !seesOneThatToldNothing()
                && taken.getAsLong() == takenBefore;
    }

    private void becomeWhole() {
        share = Share.WHOLE;
        mayBeFirst = false;
        byWord = false;
        isToBeRemembered = false;
    }

    private boolean seesOneThatIsWhole() {
        return sessions.present().stream().anyMatch(peer -> peer.share() == Share.WHOLE);
    }

    private boolean seesOneThatToldNothing() {
        return sessions.present().stream().anyMatch(peer -> peer.beat() == null);
    }

    /// It comes to serve. What one has that came with nothing is all that there is, unless it ever
    /// heard of one that has more; that is known when nobody in view is left who has told nothing.
    void serves() {
        if (share == Share.NONE) {
            mayBeFirst = !metMore;
            share = metMore ? Share.PART : Share.NONE;
            if (mayBeFirst && !seesOneThatToldNothing()) {
                becomeWhole();
            }
        }
    }

    /// An operator has it serve: where nobody whole is in reach, nor comes for a while, there is no more to wait for. A
    /// word that is given beside one that is whole is none about what that one has, but one about those that are gone.
    void isWanted() {
        wanted = !seesOneThatIsWhole();
        most = 0;
        loneSince = Long.MAX_VALUE;
        if (share == Share.NONE && metMore) {
            share = Share.PART;
        }
    }

    /// The process has stood still for so long, and has heard nobody meanwhile.
    void stoodStill(long nanos) {
        loneSince += loneSince == Long.MAX_VALUE ? 0 : nanos;
    }
}
