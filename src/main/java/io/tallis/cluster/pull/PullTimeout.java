package io.tallis.cluster.pull;

import java.util.concurrent.TimeUnit;

/// The timeout of the requests of one [Pull], adapted to how long the provider's answers take, and the number of
/// retries.
///
///     a first answer came          timeout = 2 x its round trip, at least 1.5 s, at most 5 s
///     a repeated request answered  the round trip is unknown; what else is open was sent before, so its answers follow
///                                  at once or are lost: the short timeout of 2 x the usual round trip
///     a useless answer came        a repeat was not needed: the timeout doubles
///     no answer                    the request is repeated; after [#MOST_TRIES] repeats the pull has failed
final class PullTimeout {
    private static final int MOST_TRIES = 6;
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long LEAST_SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /// Neither a backlog nor useless answers extend the timeout further than this after the last useful answer.
    private static final long MOST_EXTENSION_NANOS = TimeUnit.SECONDS.toNanos(10);

    /// When the provider answered last, or was asked something new.
    private long lastProgress;

    private long length = LEAST_NANOS;

    /// Twice the last round trip.
    private long usual = LEAST_NANOS;

    private long expiry;
    private boolean coversAll;
    private int tries;

    /// A new request was sent.
    void asked(long now) {
        lastProgress = now;
        coversAll = false;
        expiry = now + length;
    }

    /// A request that was sent once was answered.
    void answered(long now) {
        usual = 2 * (now - lastProgress);
        length = Math.clamp(usual, LEAST_NANOS, MOST_NANOS);
        onProgress(now);
        coversAll = false;
        expiry = now + length;
    }

    /// A request that was sent more than once was answered. Which of them was answered is unknown.
    void answeredRepeated(long now) {
        onProgress(now);
        coversAll = true;
        expiry = now + Math.clamp(usual, LEAST_SHORT_NANOS, length);
    }

    private void onProgress(long now) {
        lastProgress = now;
        tries = 0;
    }

    /// An answer came that was not asked for, or came before. A provider that sends only these fails in the end.
    void answeredUselessly(long now) {
        length = Math.min(2 * length, MOST_NANOS);
        if (now < lastProgress + MOST_EXTENSION_NANOS) {
            expiry = now + length;
        }
    }

    /// Frames wait in the inbox; answers may be among them.
    void extendForBacklog(long now) {
        if (now < lastProgress + MOST_EXTENSION_NANOS) {
            expiry = Math.max(expiry, now + LEAST_NANOS);
        }
    }

    /// When to repeat requests.
    long expiry() {
        return expiry;
    }

    /// Whether all open requests are lost when it expires, and not only the oldest.
    boolean coversAll() {
        return coversAll;
    }

    /// It expired, and requests were repeated.
    void askedAgain(long now) {
        coversAll = false;
        tries++;
        expiry = now + length;
    }

    boolean failed() {
        return tries > MOST_TRIES;
    }
}
