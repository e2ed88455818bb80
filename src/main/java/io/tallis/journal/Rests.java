package io.tallis.journal;

import io.tallis.runtime.Clock;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The rests of who takes backups, between two steps of them, and what ends them.
final class Rests implements Pause {
    private final Courtesy courtesy;
    private final Leave leave;
    private final Clock clock;
    private long over;

    /// Fails when there is no more to be done.
    @FunctionalInterface
    private interface Leave {
        void require() throws IOException;
    }

    private Rests(Courtesy courtesy, Leave leave, Clock clock) {
        this.courtesy = courtesy;
        this.leave = leave;
        this.clock = clock;
        over = clock.nanos();
    }

    /// While no checkpoint can begin: given up with them, or when one is to make up for lost files.
    static Rests insteadOf(Checkpoints checkpoints, Supplier<@Nullable String> lost, Courtesy courtesy, Clock clock) {
        return new Rests(
                courtesy,
                () -> {
                    if (checkpoints.abandoned()) {
                        throw new IOException("the time for it is over");
                    }
                    String first = lost.get();
                    if (first != null) {
                        throw new IOException("what is lost comes first: " + first);
                    }
                },
                clock);
    }

    /// While checkpoints are taken as ever: given up when the node stops, or its data directory is another's.
    static Rests beside(Checkpoints checkpoints, Place data, Courtesy courtesy, Clock clock) {
        return new Rests(
                courtesy,
                () -> {
                    if (checkpoints.ending()) {
                        throw new IOException(Checkpoints.STOPPING);
                    }
                    data.requireHeld();
                },
                clock);
    }

    @Override
    public void take() throws IOException {
        leave.require();
        courtesy.rest(clock.nanos() - over);
        over = clock.nanos();
    }
}
