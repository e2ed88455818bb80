package io.tallis.journal.recovery;

import io.tallis.journal.log.LoadingProgress;
import io.tallis.runtime.Clock;
import java.util.concurrent.TimeUnit;

/// The progress of loading the data at a start, for `INFO` and the log. Written by the threads that load, read by any.
public final class Loading {
    /// About how many bytes of the journal take as long to load as a cell of the database.
    private static final long BYTES_PER_CELL = 40;

    private final Clock clock;
    private final long startNanos;
    private long cellsExpected;
    private long bytesExpected;
    private long cells;
    private long bytes;
    private long endNanos;
    private boolean done;
    private boolean cut;

    public Loading(Clock clock) {
        this.clock = clock;
        startNanos = clock.nanos();
    }

    public synchronized void expect(long cells, long journalBytes) {
        cellsExpected = cells;
        bytesExpected = journalBytes;
    }

    public synchronized void loaded(long more) {
        cells += more;
    }

    synchronized void replayed(long more) {
        bytes += more;
    }

    /// An incomplete write at the end of the journal was left out.
    synchronized void cut() {
        cut = true;
    }

    public synchronized void done() {
        done = true;
        endNanos = clock.nanos();
    }

    public synchronized LoadingProgress progress() {
        double expected = cellsExpected + (double) bytesExpected / BYTES_PER_CELL;
        double share = done ? 1 : expected == 0 ? 0 : Math.min(1, (cells + (double) bytes / BYTES_PER_CELL) / expected);
        long nanos = (done ? endNanos : clock.nanos()) - startNanos;
        double left = share == 0 ? 0 : nanos / share - nanos;
        return new LoadingProgress(
                done,
                share * 100,
                cells,
                bytes,
                bytesExpected,
                cut,
                TimeUnit.NANOSECONDS.toMillis(nanos),
                TimeUnit.NANOSECONDS.toSeconds((long) left));
    }
}
