package io.tallis.sim;

import io.tallis.testing.Gen;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/// The clocks of all machines, which tell the time of day: they differ, drift, and are sometimes set.
///
/// They may all go faster than simulated time by the same factor, so that deadlines and graces of many seconds pass
/// within few.
final class TimeOfDay {
    private static final long FIRST_MOMENT_MILLIS = 1_700_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long MOST_PPM = 500;

    /// A process follows its machine's clock in steps. Smaller ones are not looked at.
    static final long LITTLE_MILLIS = 10;

    private static final class Clock {
        private long offsetMillis;
        private final long driftPpm;

        Clock(long offsetMillis, long driftPpm) {
            this.offsetMillis = offsetMillis;
            this.driftPpm = driftPpm;
        }
    }

    private final EventQueue events;
    private final Expiring expiring;
    private final Gen gen;
    private final Supplier<LongStream> processes;
    private final List<Clock> clocks = new ArrayList<>();
    private boolean aligned;
    private long alignedMillis;

    /// What the clocks told before and after each moment at which some were set.
    private final List<Told> told = new ArrayList<>();

    /// The earliest and the latest time that any clock told at a simulated moment.
    private record Told(long nanos, long earliest, long latest) {}

    /// `processes` are the times of day that processes go by.
    TimeOfDay(EventQueue events, Expiring expiring, Gen gen, Supplier<LongStream> processes) {
        this.processes = processes;
        this.events = events;
        this.expiring = expiring;
        this.gen = gen;
    }

    /// Where no key expires, clocks may differ by any `skewMillis`.
    void addMachine(long skewMillis) {
        clocks.add(expiring.happens() ? new Clock(skew(), gen.between(-MOST_PPM, MOST_PPM)) : new Clock(skewMillis, 0));
    }

    private long skew() {
        return gen.between(-expiring.skewMillis(), expiring.skewMillis());
    }

    /// The time of day by a machine's clock.
    long millis(int machine) {
        return offsetMillis(machine) + elapsedMillis();
    }

    /// How long simulated time has gone on, as the clocks see it.
    long elapsedMillis() {
        return expiring.rate() * events.now() / NANOS_PER_MILLI;
    }

    /// How far a machine's clock is ahead of that.
    long offsetMillis(int machine) {
        Clock clock = clocks.get(machine);
        return FIRST_MOMENT_MILLIS
                + (aligned ? alignedMillis : clock.offsetMillis + elapsedMillis() * clock.driftPpm / 1_000_000);
    }

    /// Sets a machine's clock.
    void set(int machine, long millis) {
        look();
        clocks.get(machine).offsetMillis += millis - millis(machine);
        look();
    }

    /// Sets a machine's clock right, within the usual differences.
    void correct(int machine) {
        look();
        clocks.get(machine).offsetMillis = skew();
        look();
    }

    /// Sets all clocks to the latest of them, and from now on they are the same.
    void align() {
        long now = latestNow();
        look();
        aligned = true;
        alignedMillis += now - millis(0);
        look();
    }

    /// Lets all clocks go on to this moment at once, if it is to come.
    void leapTo(long millis) {
        alignedMillis += Math.max(0, millis - millis(0));
        look();
    }

    /// Something is about to change, or has changed.
    void look() {
        told.add(now());
    }

    private Told now() {
        return new Told(events.now(), earliestNow(), latestNow());
    }

    private long latestNow() {
        return all().max().orElseThrow() + LITTLE_MILLIS;
    }

    long earliestNow() {
        return all().min().orElseThrow() - LITTLE_MILLIS;
    }

    /// What the clocks tell, and what processes take for the time of day.
    private LongStream all() {
        return LongStream.concat(IntStream.range(0, clocks.size()).mapToLong(this::millis), processes.get());
    }

    /// The latest time of day that any clock ever told.
    long latestEver() {
        return latestSince(0);
    }

    /// The latest time that any clock told since a simulated moment.
    long latestSince(long nanos) {
        return since(nanos).mapToLong(Told::latest).max().orElseThrow();
    }

    /// The earliest time that any clock told since a simulated moment, at which the earliest of them told this one.
    long earliestSince(long nanos, long earliestThen) {
        return Math.min(
                earliestThen, since(nanos).mapToLong(Told::earliest).min().orElseThrow());
    }

    private Stream<Told> since(long nanos) {
        return Stream.concat(told.stream().filter(one -> one.nanos >= nanos), Stream.of(now()));
    }
}
