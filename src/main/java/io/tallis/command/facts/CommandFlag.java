package io.tallis.command.facts;

import java.util.Locale;

/// A property of a command, named as in Redis.
public enum CommandFlag {
    /// May change a counter.
    WRITE(0),
    /// Reads counters and never changes one.
    READONLY(1),
    /// Refused when memory is full.
    DENYOOM(2),
    ADMIN(3),
    PUBSUB(4),
    NOSCRIPT(5),
    /// Allowed while the data is being loaded.
    LOADING(6),
    STALE(7),
    /// Takes constant time. Only a sample of the calls is timed.
    FAST(8),
    /// Allowed before the client has authenticated.
    NO_AUTH(9),
    /// May reply later.
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

    public int bit() {
        return bit;
    }

    /// Whether the flag is among those that `bits` has set.
    public boolean in(int bits) {
        return (bits & bit) != 0;
    }
}
