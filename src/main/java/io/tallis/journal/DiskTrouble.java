package io.tallis.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.runtime.Clock;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// What ails the journal's disk at present: how often it failed in a row, when it is tried again, and what clients
/// are told meanwhile.
///
/// Whoever does a round of [JournalLoop] reports; any thread may ask, and note a failure. A later try comes twice as
/// late as the one before, up to a second.
final class DiskTrouble {
    static final String NO_ANSWER = "the disk does not answer";

    private static final String MISCONF = "MISCONF Errors writing to the AOF file: ";

    private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Backoff backoff;
    private final AtomicLong failuresEver = new AtomicLong();
    private volatile @Nullable String refusal;

    @GuardedBy("this")
    private boolean forEver;

    private final Clock clock;
    private volatile @Nullable Last last;

    /// What went wrong last, and when.
    private record Last(String reason, long epochMillis) {}

    DiskTrouble(Clock clock) {
        this.clock = clock;
        backoff = new Backoff(clock, FIRST_RETRY_NANOS, LONGEST_RETRY_NANOS);
    }

    /// The disk failed, and the round with it.
    void failed(IOException failure) {
        noted(failure);
        backoff.failed();
        refuse(Failures.reason(failure));
    }

    /// The disk failed, and something else is tried at once.
    void noted(IOException failure) {
        String reason = Failures.reason(failure);
        if (failuresInARow() == 0 || !withoutNumbers(reason).equals(withoutNumbers(lastFailure()))) {
            Failures.LOG.log(Level.ERROR, "cannot write the journal: " + reason);
        }
        last = new Last(reason, clock.epochMillis());
        failuresEver.incrementAndGet();
    }

    /// Each try makes a file with another number.
    private static String withoutNumbers(@Nullable String reason) {
        return reason == null ? "" : reason.replaceAll("\\d+", "");
    }

    /// A round came to its end. Changes are still refused if there is a reason to.
    void isOver(@Nullable String reasonToRefuse) {
        if (failuresInARow() > 0) {
            backoff.succeeded();
            Failures.LOG.log(Level.INFO, "the journal can be written again");
        }
        if (reasonToRefuse != null) {
            countIfNew();
        }
        refuse(reasonToRefuse);
    }

    /// The disk has not come back from an operation for long.
    void hangs() {
        countIfNew();
        refuse(NO_ANSWER);
    }

    private void countIfNew() {
        if (refusal == null) {
            failuresEver.incrementAndGet();
        }
    }

    /// Nobody writes the journal any more, but for a thread that may be ending a round just now.
    synchronized void isForEver() {
        refuse("the journal has stopped through a mistake of ours");
        forEver = true;
    }

    private void refuse(@Nullable String reason) {
        // As after nearly each round.
        boolean allIsWell = reason == null && refusal == null;
        if (!allIsWell) {
            change(reason);
        }
    }

    private synchronized void change(@Nullable String reason) {
        if (forEver) {
            return;
        }
        boolean refusedBefore = refusal != null;
        if (reason != null) {
            refusal = MISCONF + reason;
            if (!refusedBefore) {
                last = new Last(reason, clock.epochMillis());
                Failures.LOG.log(Level.ERROR, "changes are refused: " + reason);
            }
        } else if (refusedBefore) {
            refusal = null;
            Failures.LOG.log(Level.INFO, "changes are taken again");
        }
    }

    int failuresInARow() {
        return backoff.failuresInARow();
    }

    /// How long the disk, which failed, is to be left alone; 0 when it may be tried.
    long nanosToRetry() {
        return backoff.nanosToRetry();
    }

    /// Why no change may begin, as the error that clients get; null when changes may.
    @Nullable
    String refusal() {
        return refusal;
    }

    /// What went wrong last, be it over or not; null if nothing ever did.
    @Nullable
    String lastFailure() {
        Last now = last;
        return now == null ? null : now.reason;
    }

    /// When that was; -1 if it never was.
    long lastFailureEpochMillis() {
        Last now = last;
        return now == null ? -1 : now.epochMillis;
    }

    long failuresEver() {
        return failuresEver.get();
    }
}
