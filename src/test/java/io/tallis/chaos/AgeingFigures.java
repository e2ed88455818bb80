package io.tallis.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// What was measured after some restarts. Memory is that of the node that has most of it, after all folds. The rest are
/// medians of the restarts: each checkpoint of all counters adds a file as large as the database, until RocksDB merges
/// some, so one look at a disk may find several times as much as another.
record AgeingFigures(
        int restarts,
        long folds,
        double bytesPerCounter,
        double heapBytes,
        double diskBytes,
        double startMillis,
        double joinMillis,
        double incrs,
        double gets) {
    static final String HEADING = "restarts  folds  B/counter  heap KB  disk KB  start ms  join ms  INCR/s   GET/s";

    private static final double KB = 1024;

    /// A shard of a session that is not folded yet takes 9 to 13 bytes in each counter.
    private static final double MORE_BYTES = 16;

    /// Some segments, which are there or not when the row is taken.
    private static final double MORE_DISK_BYTES = 4 * KB * KB;

    /// What a node has besides counters; and 200 bytes for each session that was folded.
    private static final double MORE_HEAP_BYTES = 4 * KB * KB;

    private static final double BYTES_A_RESTART = 400;

    private static final double TIMES = 1.5;

    /// Wide enough for a machine that has other work to do now and then.
    private static final double TIMES_SLOWER = 2;

    private static final double MORE_MILLIS = 500;

    /// The bounds within which these figures are flat, compared with earlier ones. Returns those that are not.
    List<String> excessOver(AgeingFigures first) {
        List<String> excess = new ArrayList<>();
        most("bytes a counter", bytesPerCounter, TIMES * first.bytesPerCounter + MORE_BYTES, excess);
        double heapMost = TIMES * first.heapBytes + MORE_HEAP_BYTES + BYTES_A_RESTART * restarts;
        most("bytes of heap", heapBytes, heapMost, excess);
        most("bytes on disk", diskBytes, TIMES * first.diskBytes + MORE_DISK_BYTES, excess);
        most("milliseconds to start", startMillis, TIMES_SLOWER * first.startMillis + MORE_MILLIS, excess);
        most("milliseconds to join", joinMillis, TIMES_SLOWER * first.joinMillis + MORE_MILLIS, excess);
        most("microseconds an INCR", 1e6 / incrs, TIMES_SLOWER * 1e6 / first.incrs, excess);
        most("microseconds a GET", 1e6 / gets, TIMES_SLOWER * 1e6 / first.gets, excess);
        return excess;
    }

    private static void most(String what, double value, double bound, List<String> excess) {
        if (value > bound) {
            excess.add(String.format(
                    Locale.ROOT, "%.1f %s at the end, and no more than %.1f expected", value, what, bound));
        }
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%8d %6d %10.1f %8.0f %8.0f %9.0f %8.0f %7.0f %7.0f",
                restarts,
                folds,
                bytesPerCounter,
                heapBytes / KB,
                diskBytes / KB,
                startMillis,
                joinMillis,
                incrs,
                gets);
    }
}
