package io.tallis.journal.disk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The faults of a simulated machine: its operations are counted, and each asks here for its fate.
public final class Faults {
    /// What becomes of an operation.
    public enum Fate {
        GOOD,
        /// Fails and does nothing. A sync that fails forgets what was to be synced.
        FAILS,
        /// Fails, but was done, or a part of it.
        FAILS_AFTER,
        /// A write takes only some of the bytes; other operations are good.
        SHORT,
        /// The machine stops before the operation.
        CRASHES,
        /// The machine stops behind the operation, of which a part may have been done.
        CRASHES_AFTER
    }

    /// Says what becomes of operation `number`, the first being 1.
    @FunctionalInterface
    public interface Plan {
        Fate of(long number, String operation);
    }

    /// The machine has stopped. No product code catches it.
    public static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1;

        Crash(String where) {
            super(where, null, false, false);
        }
    }

    private final List<String> operations = new ArrayList<>();
    private Plan plan = (_, _) -> Fate.GOOD;
    private long count;
    private boolean crashed;

    /// Counts from 1 again, under another plan, on a machine that runs.
    public void restart(Plan plan) {
        this.plan = plan;
        count = 0;
        crashed = false;
        operations.clear();
    }

    public long count() {
        return count;
    }

    boolean crashed() {
        return crashed;
    }

    /// The operations so far, for the message of a test that fails.
    public List<String> operations() {
        return operations;
    }

    /// Stops the machine.
    Crash crash(String where) {
        crashed = true;
        return new Crash(where);
    }

    /// What becomes of an operation that may change something.
    public Fate next(String operation) {
        if (crashed) {
            throw new Crash("after the crash: " + operation);
        }
        count++;
        Fate fate = plan.of(count, operation);
        operations.add(count + " " + operation + " " + fate);
        if (fate == Fate.CRASHES) {
            throw crash(operation);
        }
        return fate;
    }

    /// Does an operation that is done whole or not at all, as its fate says.
    public void run(String operation, Runnable effect) throws IOException {
        Fate fate = next(operation);
        if (fate != Fate.FAILS) {
            effect.run();
        }
        finish(operation, fate);
    }

    /// Ends an operation that was done.
    public void finish(String operation, Fate fate) throws IOException {
        if (fate == Fate.CRASHES_AFTER) {
            throw crash(operation);
        }
        if (fate == Fate.FAILS || fate == Fate.FAILS_AFTER) {
            throw new IOException("No space left on device");
        }
    }
}
