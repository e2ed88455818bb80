package io.tallis.command;

import java.util.Locale;

/// What is true of a command, in Redis's terms.
public enum CommandFlag {
    /// May change a counter.
    WRITE(0),
    /// Reads counters and changes none.
    READONLY(1),
    /// Refused when memory is full.
    DENYOOM(2),
    ADMIN(3),
    PUBSUB(4),
    NOSCRIPT(5),
    /// Allowed while the data are loaded.
    LOADING(6),
    STALE(7),
    /// Takes constant time; not each call of it is timed.
    FAST(8),
    /// Allowed before the client has said who it is.
    NO_AUTH(9),
    /// May answer later.
    BLOCKING(10),
    /// Refused within a transaction.
    NO_MULTI(11),
    SKIP_MONITOR(12),
    SKIP_SLOWLOG(13),
    ALLOW_BUSY(14);

    private final String redisName = name().toLowerCase(Locale.ROOT);
    private final int bit;

    CommandFlag(int place) {
        bit = 1 << place;
    }

    public String redisName() {
        return redisName;
    }

    int bit() {
        return bit;
    }

    boolean in(int bits) {
        return (bits & bit) != 0;
    }
}
