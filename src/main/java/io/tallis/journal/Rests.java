package io.tallis.journal;

import io.tallis.runtime.Clock;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The rests of who takes backups: as long as those of checkpoints, and given up with them, or when a checkpoint is to
/// make up for lost files, which can begin only then.
final class Rests implements Pause {
    private final Borders journal;
    private final Checkpoints checkpoints;
    private final Supplier<@Nullable String> lost;
    private final Clock clock;
    private long over;

    Rests(Borders journal, Checkpoints checkpoints, Supplier<@Nullable String> lost, Clock clock) {
        this.journal = journal;
        this.checkpoints = checkpoints;
        this.lost = lost;
        this.clock = clock;
        over = clock.nanos();
    }

    @Override
    public void take() throws IOException {
        if (checkpoints.abandoned()) {
            throw new IOException("the time for it is over");
        }
        String first = lost.get();
        if (first != null) {
            throw new IOException("what is lost comes first: " + first);
        }
        journal.rest(clock.nanos() - over);
        over = clock.nanos();
    }
}
