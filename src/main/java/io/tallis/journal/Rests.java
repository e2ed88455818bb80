package io.tallis.journal;

import io.tallis.runtime.Clock;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The rests of who takes backups, between two steps of them, and what ends them.
final class Rests implements Pause {
    private final Courtesy courtesy;
    private final Supplier<@Nullable String> obstacle;
    private final Clock clock;
    private long over;

    private Rests(Courtesy courtesy, Supplier<@Nullable String> obstacle, Clock clock) {
        this.courtesy = courtesy;
        this.obstacle = obstacle;
        this.clock = clock;
        over = clock.nanos();
    }

    /// While no checkpoint can begin: given up with them, or when one is to make up for lost files.
    static Rests insteadOf(Checkpoints checkpoints, Supplier<@Nullable String> lost, Courtesy courtesy, Clock clock) {
        return new Rests(courtesy, () -> whyCheckpointsComeFirst(checkpoints, lost), clock);
    }

    private static @Nullable String whyCheckpointsComeFirst(Checkpoints checkpoints, Supplier<@Nullable String> lost) {
        if (checkpoints.abandoned()) {
            return "the time for it is over";
        }
        String first = lost.get();
        return first == null ? null : "what is lost comes first: " + first;
    }

    /// While checkpoints are taken as ever: given up when the node stops.
    static Rests beside(Checkpoints checkpoints, Courtesy courtesy, Clock clock) {
        return new Rests(courtesy, () -> checkpoints.ending() ? Checkpoints.STOPPING : null, clock);
    }

    @Override
    public void take() throws IOException {
        String reason = obstacle.get();
        if (reason != null) {
            throw new IOException(reason);
        }
        courtesy.rest(clock.nanos() - over);
        over = clock.nanos();
    }
}
