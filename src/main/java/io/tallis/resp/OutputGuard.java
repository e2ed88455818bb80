package io.tallis.resp;

import io.tallis.resp.RespLimits.OutputLimit;

/// Judges whether a client has left its replies waiting too much or too long.
final class OutputGuard {
    private static final long NEVER = Long.MIN_VALUE;

    private long softSince = NEVER;

    /// Whether `waiting` bytes are more than the limit allows, now or since long enough.
    boolean isExceeded(long waiting, OutputLimit limit, long seconds) {
        if (limit.hardBytes() > 0 && waiting > limit.hardBytes()) {
            return true;
        }
        if (limit.softBytes() == 0 || waiting <= limit.softBytes()) {
            softSince = NEVER;
            return false;
        }
        if (softSince == NEVER) {
            softSince = seconds;
        }
        return seconds - softSince > limit.softSeconds();
    }
}
