package io.tallis.journal;

import io.tallis.runtime.Clock;
import java.io.IOException;

/// The rests of who takes backups: as long as those of checkpoints, and given up with them.
final class Rests implements Pause {
    private final Borders journal;
    private final Checkpoints checkpoints;
    private final Clock clock;
    private long over;

    Rests(Borders journal, Checkpoints checkpoints, Clock clock) {
        this.journal = journal;
        this.checkpoints = checkpoints;
        this.clock = clock;
        over = clock.nanos();
    }

    @Override
    public void take() throws IOException {
        if (checkpoints.abandoned()) {
            throw new IOException("the time for it is over");
        }
        journal.rest(clock.nanos() - over);
        over = clock.nanos();
    }
}
