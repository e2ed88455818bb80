package io.tallis.cluster;

import java.util.function.BooleanSupplier;

/// The [Share] that this session has, and how it comes to have all.
///
/// Who came with counters is *whole*, but for one whose counters are of a first join that was cut short: that one has a
/// *part*. So has one that came with none, as soon as it has any. It is whole when its journal has all that a whole one
/// had: one that it pulled from, as that began, or one that is there, as far as it has told. Else it is by a word:
/// where
/// nobody was found that has more, or where an operator has it serve and nobody whole is there. Whether it serves
/// meanwhile is another matter.
final class OwnShare {
    private final Sessions sessions;
    private final Pulls pulls;
    private final BooleanSupplier hasCounters;
    private Share share;

    /// `hasCounters` tells whether there is any counter here: at first those that the disk had, which may be a
    /// `part`, later what others told too, even before they are in view.
    OwnShare(Sessions sessions, Pulls pulls, BooleanSupplier hasCounters, boolean part) {
        this.sessions = sessions;
        this.pulls = pulls;
        this.hasCounters = hasCounters;
        share = !hasCounters.getAsBoolean() ? Share.NONE : part ? Share.PART : Share.WHOLE;
    }

    Share share() {
        return share;
    }

    boolean isWhole() {
        return share == Share.WHOLE;
    }

    /// Whether it knows of counters that it has not.
    boolean lacksSomething() {
        return share == Share.PART
                || (share == Share.NONE && sessions.present().stream().anyMatch(peer -> peer.share() == Share.PART));
    }

    /// Takes note of what came.
    void look() {
        if (isWhole()) {
            return;
        }
        if (hasCounters.getAsBoolean()) {
            share = Share.PART;
        }
        if (pulls.vectorsOfWholes().stream().anyMatch(sessions::keeps)
                || sessions.present().stream()
                        .anyMatch(peer -> peer.share() == Share.WHOLE && sessions.keepsAllOf(peer))) {
            share = Share.WHOLE;
        }
    }

    /// Nobody was found that has more.
    void isAllThereIs() {
        share = Share.WHOLE;
    }

    /// An operator has it serve: where nobody whole is in reach there is no more to wait for.
    void isWanted() {
        if (sessions.present().stream().noneMatch(peer -> peer.share() == Share.WHOLE)) {
            isAllThereIs();
        }
    }
}
