package io.tallis.sim;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Simulates clusters under one seed after the other, from the command line; see `scripts/simulate`. With
/// `-Dsim.expiry=true` keys expire in them, with `-Dsim.folds=true` sessions are folded again and again, with
/// `-Dsim.purges=true` deleted counters are purged, with `-Dsim.retries=true` clients try again when not answered.
public final class SimulationRun {
    private static final Logger PRODUCT = Logger.getLogger("io.tallis");
    private static final long REPORT_NANOS = 10_000_000_000L;

    private final LongFunction<Simulation.Result> simulate;
    private final PrintStream out;
    private final AtomicLong nextSeed;
    private final long endNanos;
    private final AtomicLong simulations = new AtomicLong();
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong simulatedNanos = new AtomicLong();
    private final AtomicLong folds = new AtomicLong();
    private final AtomicLong purges = new AtomicLong();
    private final AtomicLong givenUp = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    SimulationRun(LongFunction<Simulation.Result> simulate, long firstSeed, long endNanos, PrintStream out) {
        this.simulate = simulate;
        this.out = out;
        nextSeed = new AtomicLong(firstSeed);
        this.endNanos = endNanos;
    }

    /// `seed SEED` runs that one; `minutes N SEED THREADS` runs those from SEED on until time is up or one fails.
    public static void main(String[] arguments) throws InterruptedException {
        silenceProduct();
        long begin = System.nanoTime();
        boolean one = arguments[0].equals("seed");
        long end = one ? begin : begin + (long) (Double.parseDouble(arguments[1]) * 60e9);
        var run = new SimulationRun(kind(), Long.parseLong(arguments[one ? 1 : 2]), end, System.out);
        if (!run.isWell(one ? 1 : Integer.parseInt(arguments[3]))) {
            System.exit(1);
        }
    }

    private static LongFunction<Simulation.Result> kind() {
        if (Boolean.getBoolean("sim.folds")) {
            return Simulation::runWithFolds;
        }
        if (Boolean.getBoolean("sim.purges")) {
            return Simulation::runWithPurges;
        }
        if (Boolean.getBoolean("sim.retries")) {
            return Simulation::runWithRetries;
        }
        return Boolean.getBoolean("sim.expiry") ? Simulation::runWithExpiry : Simulation::run;
    }

    /// What the product logs about damage is of no use here.
    static void silenceProduct() {
        PRODUCT.setLevel(Level.OFF);
    }

    /// Other tests of the same process look at what is logged.
    static void letProductSpeak() {
        PRODUCT.setLevel(null);
    }

    /// Runs them all; the last line is the verdict.
    boolean isWell(int threads) throws InterruptedException {
        runAll(threads);
        Throwable found = failure.get();
        if (found == null) {
            out.println("all well");
            return true;
        }
        found.printStackTrace(out);
        out.println("FAILED: " + found.toString().lines().findFirst().orElseThrow());
        return false;
    }

    private void runAll(int threads) throws InterruptedException {
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            all[i] = Thread.ofPlatform().name("simulation-" + i).start(this::runOnes);
        }
        for (Thread thread : all) {
            while (!thread.join(Duration.ofNanos(REPORT_NANOS))) {
                report();
            }
        }
        report();
    }

    private void runOnes() {
        do {
            try {
                Simulation.Result result = simulate.apply(nextSeed.getAndIncrement());
                simulations.incrementAndGet();
                events.addAndGet(result.events());
                simulatedNanos.addAndGet(result.nanos());
                folds.addAndGet(result.folds());
                purges.addAndGet(result.purges());
                givenUp.addAndGet(result.givenUp() ? 1 : 0);
            } catch (Throwable found) {
                failure.compareAndSet(null, found);
            }
        } while (System.nanoTime() - endNanos < 0 && failure.get() == null);
    }

    private void report() {
        out.printf(
                "%,d simulations, %,d events, %,d simulated seconds, %,d folds, %,d purges, %,d given up; next seed %d%n",
                simulations.get(),
                events.get(),
                simulatedNanos.get() / 1_000_000_000,
                folds.get(),
                purges.get(),
                givenUp.get(),
                nextSeed.get());
    }
}
