package io.tallis.resp;

import io.tallis.resp.RespLimits.OutputLimit;
import io.tallis.runtime.Live;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// The limits of one connection: how long its client may be idle, and how many bytes of replies it may leave waiting.
final class ConnectionLimits {
    private static final long NEVER = Long.MIN_VALUE;

    /// The soft limit where none is set.
    private static final long ENOUGH_BYTES = 16L << 20;

    private final Live<RespLimits> limits;
    private final LongSupplier seconds;
    private final BooleanSupplier listening;
    private long lastActive;
    private long aboveSoftSince = NEVER;
    private long waitingBefore;

    /// `seconds` is the time, `listening` whether the client receives messages.
    ConnectionLimits(Live<RespLimits> limits, LongSupplier seconds, BooleanSupplier listening) {
        this.limits = limits;
        this.seconds = seconds;
        this.listening = listening;
        lastActive = seconds.getAsLong();
    }

    /// The client sent something, got a reply, or is taking its replies.
    void active() {
        lastActive = seconds.getAsLong();
    }

    /// Whether the client has been idle for too long. A client that receives messages never is.
    boolean isIdleTooLong() {
        int timeout = limits.now().timeoutSeconds();
        return timeout > 0 && seconds.getAsLong() - lastActive > timeout && !listening.getAsBoolean();
    }

    /// How many bytes of replies may wait before the handling of requests stops. Not too few: some clients send
    /// everything before they read anything, and would wait for ever.
    long pauseBytes() {
        OutputLimit limit = limit();
        long soft = limit.softBytes() > 0 ? limit.softBytes() : ENOUGH_BYTES;
        return limit.hardBytes() > 0 ? Math.min(soft, limit.hardBytes() / 2) : soft;
    }

    /// The hard limit of waiting bytes; 0 means none.
    long hardBytes() {
        return limit().hardBytes();
    }

    /// Whether the waiting bytes exceed the hard limit, or have exceeded the soft limit for too long. Called every
    /// second.
    boolean isExceededBy(long waitingBytes) {
        if (waitingBytes < waitingBefore) {
            active();
        }
        waitingBefore = waitingBytes;
        OutputLimit limit = limit();
        if (limit.hardBytes() > 0 && waitingBytes > limit.hardBytes()) {
            return true;
        }
        if (limit.softBytes() == 0 || waitingBytes <= limit.softBytes()) {
            aboveSoftSince = NEVER;
            return false;
        }
        if (aboveSoftSince == NEVER) {
            aboveSoftSince = seconds.getAsLong();
        }
        return seconds.getAsLong() - aboveSoftSince > limit.softSeconds();
    }

    private OutputLimit limit() {
        RespLimits now = limits.now();
        return listening.getAsBoolean() ? now.pubsubOutput() : now.normalOutput();
    }
}
