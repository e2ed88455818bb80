package io.tallis.cluster;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// The [Share] that this session has, and how it comes to have all.
///
/// Who came with counters is *whole*, but for one whose counters are of a first join that was cut short: that one has a
/// *part*. So has one that came with none, as soon as it has any. It is whole when its journal has all that those have
/// told, or had when it pulled from them, who are there and whole: each of them, since one may have begun with nothing.
/// Else it is by a word: where nobody was found who has more, or where an operator has it serve and nobody whole comes
/// in reach for a while. Whether it serves meanwhile is another matter.
final class OwnShare {
    /// How long nobody whole was in reach when an operator's word is taken: views and beats take a while to come.
    private static final long LONE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Sessions sessions;
    private final Targets targets;
    private final BooleanSupplier hasCounters;
    private Share share;
    private boolean wanted;
    private boolean byWord;
    private long loneSince = Long.MAX_VALUE;

    /// `hasCounters` tells whether there is any counter here: at first those that the disk had, which may be a
    /// `part`, later what others told too, even before they are in view.
    OwnShare(Sessions sessions, Targets targets, BooleanSupplier hasCounters, boolean part) {
        this.sessions = sessions;
        this.targets = targets;
        this.hasCounters = hasCounters;
        share = !hasCounters.getAsBoolean() ? Share.NONE : part ? Share.PART : Share.WHOLE;
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

    /// Takes note of what came.
    void look(long now) {
        if (isWhole()) {
            return;
        }
        if (share == Share.NONE && hasCounters.getAsBoolean()) {
            share = Share.PART;
        }
        wanted &= !seesOneThatIsWhole();
        loneSince = mayHearMore(now) ? Long.MAX_VALUE : Math.min(loneSince, now);
        boolean isLongAlone = loneSince != Long.MAX_VALUE && now - loneSince >= LONE_NANOS;
        if (targets.keepAllOfWholes()) {
            share = Share.WHOLE;
        } else if (wanted && isLongAlone) {
            share = Share.WHOLE;
            byWord = true;
        }
    }

    private boolean seesOneThatIsWhole() {
        return sessions.present().stream().anyMatch(peer -> peer.share() == Share.WHOLE);
    }

    /// Whether there is no view yet, or one in view that has just come and told nothing.
    private boolean mayHearMore(long now) {
        return sessions.members().isEmpty()
                || sessions.present().stream().anyMatch(peer -> peer.beat() == null && now - peer.since() < LONE_NANOS);
    }

    /// Nobody was found who has more.
    void isAllThereIs() {
        share = Share.WHOLE;
    }

    /// An operator has it serve: where nobody whole is in reach, nor comes for a while, there is no more to wait for. A
    /// word that is given beside one that is whole is none about what that one has.
    void isWanted() {
        wanted = !seesOneThatIsWhole();
        loneSince = Long.MAX_VALUE;
    }
}
