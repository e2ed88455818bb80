package io.tallis.metrics;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/// Statistics of commands: calls, time, rejections and failures per command, error replies, hits and misses of
/// look-ups.
///
/// Each event loop counts in a [Recorder] of its own, without contention; readers get the sums. Not every call is
/// timed: a timed call can have the weight of several, from which the time of all calls is estimated. Commands are
/// identified by number.
public final class CommandStats {
    /// The most different first words of errors that are counted by word. Further ones count in the total only.
    private static final int MOST_ERROR_NAMES = 128;

    private static final int CALLS = 0;
    private static final int TIMED = 1;
    private static final int NANOS = 2;
    private static final int REJECTED = 3;
    private static final int FAILED = 4;
    private static final int FIELDS = 5;

    /// The indexes of look-ups, behind the fields of all commands.
    private static final int MISSES = 0;

    private static final int HITS = 1;
    private static final int LOOKUPS = 2;

    private final int commands;
    private final List<Recorder> recorders = new CopyOnWriteArrayList<>();
    private final Map<String, LongAdder> errors = new ConcurrentHashMap<>();
    private final AtomicLong errorTotal = new AtomicLong();
    private volatile long[] counterBase;
    private volatile long[] histogramBase;

    /// Statistics of commands with the numbers 0 to `commands - 1`.
    public CommandStats(int commands) {
        this.commands = commands;
        counterBase = new long[commands * FIELDS + LOOKUPS];
        histogramBase = new long[commands * LatencyHistogram.BUCKETS];
    }

    /// A recorder for another thread, for the life of the process.
    public Recorder recorder() {
        Recorder recorder = new Recorder(commands);
        recorders.add(recorder);
        return recorder;
    }

    /// Counts an error reply under its first word. Errors are rare enough for all threads to share the counters.
    public void error(String text) {
        errorTotal.incrementAndGet();
        int end = text.indexOf(' ');
        String name = end < 0 ? text : text.substring(0, end);
        LongAdder known = errors.get(name);
        if (known == null && errors.size() < MOST_ERROR_NAMES) {
            known = errors.computeIfAbsent(name, _ -> new LongAdder());
        }
        if (known != null) {
            known.increment();
        }
    }

    public long errorTotal() {
        return errorTotal.get();
    }

    /// The number of error replies by their first word.
    public Map<String, Long> errors() {
        Map<String, Long> counts = new TreeMap<>();
        errors.forEach((name, count) -> counts.put(name, count.sum()));
        return counts;
    }

    /// The statistics of one command. `nanos` is the time of the calls that `timed` counts: those that were timed, by
    /// their weight, which is nearly all. It never falls, as it would if it were scaled to all calls.
    public record Totals(long calls, long timed, long nanos, long rejected, long failed) {
        public double nanosPerCall() {
            return timed == 0 ? 0 : (double) nanos / timed;
        }
    }

    public Totals of(int command) {
        return new Totals(
                sum(command, CALLS),
                sum(command, TIMED),
                sum(command, NANOS),
                sum(command, REJECTED),
                sum(command, FAILED));
    }

    /// Whether the command was called or rejected.
    public boolean isUsed(int command) {
        return sum(command, CALLS) + sum(command, REJECTED) > 0;
    }

    /// The number of calls of all commands.
    public long calls() {
        long calls = 0;
        for (int command = 0; command < commands; command++) {
            calls += sum(command, CALLS);
        }
        return calls;
    }

    /// How often a key to be read was found.
    public long hits() {
        return lookups(HITS);
    }

    /// How often a key to be read was missing.
    public long misses() {
        return lookups(MISSES);
    }

    private long lookups(int outcome) {
        return sinceReset(commands * FIELDS + outcome);
    }

    /// The durations of a command's timed calls, each counted by its weight.
    public LatencyHistogram histogram(int command) {
        // First, as in sinceReset.
        long[] base = histogramBase;
        long[] counts = histogramSums(command);
        for (int i = 0; i < counts.length; i++) {
            counts[i] -= base[command * LatencyHistogram.BUCKETS + i];
        }
        return new LatencyHistogram(counts);
    }

    /// Resets all figures to 0. The recorders go on; their present values are subtracted from now on.
    public synchronized void reset() {
        long[] counters = new long[counterBase.length];
        for (int i = 0; i < counters.length; i++) {
            counters[i] = rawSum(i);
        }
        counterBase = counters;
        long[] histograms = new long[histogramBase.length];
        for (int command = 0; command < commands; command++) {
            copyHistogram(command, histograms);
        }
        histogramBase = histograms;
        errors.clear();
        errorTotal.set(0);
    }

    private void copyHistogram(int command, long[] base) {
        int from = command * LatencyHistogram.BUCKETS;
        System.arraycopy(histogramSums(command), 0, base, from, LatencyHistogram.BUCKETS);
    }

    private long sum(int command, int field) {
        return sinceReset(command * FIELDS + field);
    }

    /// Reads the base first: with that of a reset in between, the difference would be negative.
    private long sinceReset(int index) {
        long base = counterBase[index];
        return rawSum(index) - base;
    }

    private long rawSum(int index) {
        long sum = 0;
        for (Recorder recorder : recorders) {
            sum += recorder.counters.getOpaque(index);
        }
        return sum;
    }

    private long[] histogramSums(int command) {
        long[] counts = new long[LatencyHistogram.BUCKETS];
        for (Recorder recorder : recorders) {
            AtomicLongArray histogram = recorder.histograms[command];
            for (int i = 0; i < counts.length && histogram.length() > 0; i++) {
                counts[i] += histogram.getOpaque(i);
            }
        }
        return counts;
    }

    /// The counts of one thread, which other threads only read. An opaque write costs no more than a plain one.
    public static final class Recorder {
        private static final AtomicLongArray NONE = new AtomicLongArray(0);

        private final AtomicLongArray counters;
        private final AtomicLongArray[] histograms;
        private final int lookups;

        private Recorder(int commands) {
            counters = new AtomicLongArray(commands * FIELDS + LOOKUPS);
            lookups = commands * FIELDS;
            histograms = new AtomicLongArray[commands];
            Arrays.fill(histograms, NONE);
        }

        /// The number of calls of the command on this thread.
        public long calls(int command) {
            return counters.getPlain(command * FIELDS + CALLS);
        }

        public void called(int command) {
            add(command, CALLS, 1);
        }

        /// Adds the duration of a call, which has the weight of so many calls. Called in addition to [#called].
        public void took(int command, long nanos, int calls) {
            add(command, TIMED, calls);
            add(command, NANOS, nanos * calls);
            AtomicLongArray histogram = histograms[command];
            if (histogram.length() == 0) {
                histogram = new AtomicLongArray(LatencyHistogram.BUCKETS);
                histograms[command] = histogram;
            }
            int bucket = LatencyHistogram.bucketOf(nanos);
            histogram.setOpaque(bucket, histogram.getPlain(bucket) + calls);
        }

        public void rejected(int command) {
            add(command, REJECTED, 1);
        }

        public void failed(int command) {
            add(command, FAILED, 1);
        }

        /// Counts a look-up of a key to be read.
        public void lookedUp(boolean found) {
            add(lookups + (found ? HITS : MISSES), 1);
        }

        private void add(int command, int field, long amount) {
            add(command * FIELDS + field, amount);
        }

        private void add(int index, long amount) {
            counters.setOpaque(index, counters.getPlain(index) + amount);
        }
    }
}
