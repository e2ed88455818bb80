package io.tallis.chaos;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/// The events and failures of a run, printed as they happen. Thread-safe.
final class RunLog {
    private static final double NANOS_PER_SECOND = 1e9;

    private final PrintStream out;
    private final long begin = System.nanoTime();
    private final List<String> failures = new ArrayList<>();

    RunLog(PrintStream out) {
        this.out = out;
    }

    synchronized void print(String event) {
        out.printf("%7.1f s  %s%n", (System.nanoTime() - begin) / NANOS_PER_SECOND, event);
        out.flush();
    }

    /// The run has found a fault of the product.
    synchronized void fail(String what) {
        failures.add(what);
        print("WRONG: " + what);
    }

    synchronized List<String> failures() {
        return List.copyOf(failures);
    }
}
