package io.tallis.resp;

import io.tallis.resp.RespLimits.OutputLimit;
import io.tallis.runtime.Live;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// How long a client may say nothing, and how much of its replies it may leave waiting.
final class Patience {
    private static final long NEVER = Long.MIN_VALUE;

    /// Where no limit is set.
    private static final long ENOUGH_BYTES = 16L << 20;

    private final Live<RespLimits> limits;
    private final LongSupplier seconds;
    private final BooleanSupplier listening;
    private long lastHeard;
    private long muchWaitsSince = NEVER;
    private long waitingBefore;

    /// The time is asked of `seconds`, and whether the client is there to be sent messages of `listening`.
    Patience(Live<RespLimits> limits, LongSupplier seconds, BooleanSupplier listening) {
        this.limits = limits;
        this.seconds = seconds;
        this.listening = listening;
        lastHeard = seconds.getAsLong();
    }

    /// The client has said something, or was answered, or takes what it is told.
    void heard() {
        lastHeard = seconds.getAsLong();
    }

    /// Whether the client has said nothing for too long. One that is there to listen may be silent.
    boolean isSilentTooLong() {
        int timeout = limits.now().timeoutSeconds();
        return timeout > 0 && seconds.getAsLong() - lastHeard > timeout && !listening.getAsBoolean();
    }

    /// How many bytes of replies may be waiting before the client should ask for no more. It may be one that says a
    /// great deal before it reads anything, and waits for ever if it is not heard to the end.
    long enoughWaitingBytes() {
        OutputLimit limit = limit();
        long soft = limit.softBytes() > 0 ? limit.softBytes() : ENOUGH_BYTES;
        return limit.hardBytes() > 0 ? Math.min(soft, limit.hardBytes() / 2) : soft;
    }

    /// How many bytes of replies may never be waiting; 0 means any number may.
    long mostWaitingBytes() {
        return limit().hardBytes();
    }

    /// Whether more replies are waiting than may, now or since so long. To be asked every second.
    boolean isExceededBy(long waitingBytes) {
        if (waitingBytes < waitingBefore) {
            heard();
        }
        waitingBefore = waitingBytes;
        OutputLimit limit = limit();
        if (limit.hardBytes() > 0 && waitingBytes > limit.hardBytes()) {
            return true;
        }
        if (limit.softBytes() == 0 || waitingBytes <= limit.softBytes()) {
            muchWaitsSince = NEVER;
            return false;
        }
        if (muchWaitsSince == NEVER) {
            muchWaitsSince = seconds.getAsLong();
        }
        return seconds.getAsLong() - muchWaitsSince > limit.softSeconds();
    }

    private OutputLimit limit() {
        RespLimits now = limits.now();
        return listening.getAsBoolean() ? now.pubsubOutput() : now.normalOutput();
    }
}
