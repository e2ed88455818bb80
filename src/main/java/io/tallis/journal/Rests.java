package io.tallis.journal;

import io.tallis.runtime.Clock;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/// The rests of who takes backups: as long as those of checkpoints, and given up with them, or when a checkpoint is to
/// make up for lost files, which can begin only then.
final class Rests implements Pause {
    private final Borders journal;
    private final Checkpoints checkpoints;
    private final BooleanSupplier hasLostFiles;
    private final Clock clock;
    private long over;

    Rests(Borders journal, Checkpoints checkpoints, BooleanSupplier hasLostFiles, Clock clock) {
        this.journal = journal;
        this.checkpoints = checkpoints;
        this.hasLostFiles = hasLostFiles;
        this.clock = clock;
        over = clock.nanos();
    }

    @Override
    public void take() throws IOException {
        if (checkpoints.abandoned()) {
            throw new IOException("the time for it is over");
        }
        if (hasLostFiles.getAsBoolean()) {
            throw new IOException("files that are gone or damaged are made up for first");
        }
        journal.rest(clock.nanos() - over);
        over = clock.nanos();
    }
}
