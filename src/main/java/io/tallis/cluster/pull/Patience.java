package io.tallis.cluster.pull;

import java.util.concurrent.TimeUnit;

/// How long a pull waits for its provider before it asks again, and how often it does in vain.
///
/// That depends on how long answers take; one that comes twice was not waited for long enough. Once what was asked
/// again is answered, the answers to the rest are right behind or lost, so it is waited less for those.
final class Patience {
    private static final int MOST_TRIES = 6;
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long LEAST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long BACKLOG_NANOS = TimeUnit.SECONDS.toNanos(10);

    /// When the provider answered last, or was asked for something new.
    private long heard;

    private long length = LEAST_NANOS;

    /// Twice as long as the last answer took.
    private long usual = LEAST_NANOS;

    private long end;
    private boolean forTheRest;
    private int tries;

    /// Something new was asked.
    void asked(long now) {
        heard = now;
        forTheRest = false;
        end = now + length;
    }

    /// What was asked once was answered.
    void answered(long now) {
        usual = 2 * (now - heard);
        length = Math.clamp(usual, LEAST_NANOS, MOST_NANOS);
        heard(now);
        forTheRest = false;
        end = now + length;
    }

    /// What was asked more than once was answered; nobody knows which time.
    void answeredRepeated(long now) {
        heard(now);
        forTheRest = true;
        end = now + Math.clamp(usual, LEAST_REST_NANOS, length);
    }

    private void heard(long now) {
        heard = now;
        tries = 0;
    }

    /// An answer came of which there is no use. Who answers like this for ever, however often, has failed in time.
    void answeredInVain(long now) {
        length = Math.min(2 * length, MOST_NANOS);
        if (now < heard + BACKLOG_NANOS) {
            end = now + length;
        }
    }

    /// Answers may be here that were not looked at yet.
    void backlog(long now) {
        if (now < heard + BACKLOG_NANOS) {
            end = Math.max(end, now + LEAST_NANOS);
        }
    }

    /// When to ask again.
    long end() {
        return end;
    }

    /// Whether all that has no answer by its end is lost, and not only what was asked first.
    boolean isForTheRest() {
        return forTheRest;
    }

    /// The provider was silent for too long, and is asked again.
    void askedAgain(long now) {
        forTheRest = false;
        tries++;
        end = now + length;
    }

    boolean failed() {
        return tries > MOST_TRIES;
    }
}
