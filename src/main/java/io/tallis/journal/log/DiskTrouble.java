package io.tallis.journal.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.journal.disk.Failures;
import io.tallis.runtime.Backoff;
import io.tallis.runtime.Clock;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The state of the journal's disk: how often it failed in a row, when it is tried again, and the error that changes
/// get meanwhile.
///
/// The thread that does a round of [JournalLoop] reports; any thread may ask, and note a failure. The time to the next
/// attempt doubles with each failure, up to a second.
public final class DiskTrouble {
    static final String NO_ANSWER = "the disk does not answer";

    private static final String MISCONF = "MISCONF Errors writing to the AOF file: ";

    private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Backoff backoff;
    private final AtomicLong failuresEver = new AtomicLong();
    private volatile @Nullable String refusal;

    @GuardedBy("this")
    private boolean refusingForEver;

    private final Clock clock;
    private volatile @Nullable Last last;

    /// What went wrong last, and when.
    private record Last(String reason, long epochMillis) {}

    public DiskTrouble(Clock clock) {
        this.clock = clock;
        backoff = new Backoff(clock, FIRST_RETRY_NANOS, LONGEST_RETRY_NANOS);
    }

    /// The disk failed, and the round with it.
    void failed(IOException failure) {
        note(failure);
        backoff.failed();
        refuse(Failures.reason(failure));
    }

    /// The disk failed, and another file is tried at once.
    void note(IOException failure) {
        String reason = Failures.reason(failure);
        if (failuresInARow() == 0 || !withoutNumbers(reason).equals(withoutNumbers(lastFailure()))) {
            Failures.LOG.log(Level.ERROR, "cannot write the journal: " + reason);
        }
        last = new Last(reason, clock.epochMillis());
        failuresEver.incrementAndGet();
    }

    /// Each attempt makes a file with another number.
    private static String withoutNumbers(@Nullable String reason) {
        return reason == null ? "" : reason.replaceAll("\\d+", "");
    }

    /// A round ended well. Changes are refused all the same if there is a reason.
    void roundSucceeded(@Nullable String reasonToRefuse) {
        if (failuresInARow() > 0) {
            backoff.succeeded();
            Failures.LOG.log(Level.INFO, "the journal can be written again");
        }
        if (reasonToRefuse != null) {
            countIfNew();
        }
        refuse(reasonToRefuse);
    }

    /// An operation of the disk hangs.
    void hung() {
        countIfNew();
        refuse(NO_ANSWER);
    }

    private void countIfNew() {
        if (refusal == null) {
            failuresEver.incrementAndGet();
        }
    }

    /// Nothing is written any more. A round that another thread is just ending does not change that.
    synchronized void refuseForEver(String reason) {
        refuse(reason);
        refusingForEver = true;
    }

    /// Has changes refused for this reason; null allows them.
    void refuse(@Nullable String reason) {
        // The fast path, taken after nearly every round.
        boolean allIsWell = reason == null && refusal == null;
        if (!allIsWell) {
            change(reason);
        }
    }

    private synchronized void change(@Nullable String reason) {
        if (refusingForEver) {
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
            Failures.LOG.log(Level.INFO, "changes are accepted again");
        }
    }

    int failuresInARow() {
        return backoff.failuresInARow();
    }

    /// The time until the disk is tried again; 0 when it may be tried.
    long nanosToRetry() {
        return backoff.nanosToRetry();
    }

    /// Why no change may begin, as the error that clients get; null when changes may.
    @Nullable
    public String refusal() {
        return refusal;
    }

    /// What went wrong last, whether it is over or not; null if nothing ever did.
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
