package io.tallis.sim;

/// The kinds of trouble.
enum Trouble {
    /// Two groups of machines do not reach each other.
    SPLIT,
    /// One machine reaches no other, nor they it.
    ISOLATED,
    /// Frames from one machine to another are lost, and not the other way.
    ONE_WAY,
    /// Two machines do not reach each other, though all others reach both.
    NOT_TRANSITIVE,
    /// Of what one machine sends only small frames arrive.
    NARROW,
    /// A process is paused for a while.
    FROZEN,
    /// A process takes long for everything.
    SLOW,
    /// A process is killed, and starts again.
    KILLED,
    /// A machine loses its power, and with it what its disk had not synced.
    POWER_LOST,
    /// A process is stopped in good order, and starts again.
    STOPPED,
    /// All processes are killed, and start at once.
    ALL_KILLED,
    /// A machine comes back with an empty disk.
    WIPED,
    /// A machine comes back with an older copy of its disk.
    RESTORED,
    /// Another machine starts with a copy of a disk.
    CLONED,
    /// A process's clock goes on by much at once.
    CLOCK_JUMPS,
    /// A disk takes long for everything.
    DISK_SLOW,
    /// A disk hangs for a while.
    DISK_STUCK,
    /// A disk refuses writes for a while, and commits are reported as lost.
    DISK_FAILS,
    /// Checkpoints are taken.
    CHECKPOINT,
    /// A session removes another from its view for a moment.
    VIEW_BLINKS,
    /// Clients make many counters at once.
    BURST,
    /// A node starts with a newer version of the program.
    UPGRADED,
    /// Nothing that is sent to one machine arrives there.
    DEAF,
    /// A session counts, some of it reaches some of the others, and its disk is lost at once.
    LAST_WORDS,
    /// A process starts with `cluster-hold`, until an operator says `SYSTEM READY`.
    HELD,
    /// A process starts with a donor, which may not be running.
    DONOR_NAMED,
    /// A node is told to forget another.
    FORGOTTEN,
    /// All processes are killed while new nodes join, and the new ones start again before the others.
    JOIN_CUT_SHORT;

    /// Whether a disk loses what it has, or a part of it.
    boolean losesData() {
        return switch (this) {
            case POWER_LOST, WIPED, RESTORED, CLONED -> true;
            default -> false;
        };
    }

    /// Whether it ends sessions and starts others.
    boolean startsSessions() {
        return switch (this) {
            case KILLED,
                    POWER_LOST,
                    STOPPED,
                    ALL_KILLED,
                    WIPED,
                    RESTORED,
                    CLONED,
                    UPGRADED,
                    LAST_WORDS,
                    HELD,
                    DONOR_NAMED,
                    JOIN_CUT_SHORT -> true;
            default -> false;
        };
    }
}
