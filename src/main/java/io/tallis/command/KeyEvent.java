package io.tallis.command;

import java.util.Locale;

/// What becomes of keys, as keyspace notifications tell it: by Redis's names, in Redis's classes of events.
public enum KeyEvent {
    SET('$'),
    INCRBY('$'),
    INCRBYFLOAT('$'),
    APPEND('$'),
    SETRANGE('$'),
    /// Other nodes have changed the value or the deadline, perhaps several times.
    MERGE('$'),
    DEL('g'),
    EXPIRE('g'),
    PERSIST('g'),
    RENAME_FROM('g'),
    RENAME_TO('g'),
    COPY_TO('g'),
    EXPIRED('x'),
    HSET('h'),
    HINCRBY('h'),
    HINCRBYFLOAT('h'),
    HDEL('h'),
    ZADD('z'),
    ZINCR('z'),
    ZREM('z'),
    ZPOPMIN('z'),
    ZPOPMAX('z'),
    ZREMRANGEBYRANK('z'),
    ZREMRANGEBYSCORE('z');

    /// Events are published to `__keyspace@0__:key`.
    public static final int TO_KEYSPACE = bitOf('K');

    /// Events are published to `__keyevent@0__:event`.
    public static final int TO_KEYEVENT = bitOf('E');

    /// The letters, in the order of their bits.
    private static final String LETTERS = "g$lshzxetdKE";

    /// The classes that the letter `A` stands for.
    private static final String ALL = "g$lshzxetd";

    private final String redisName = name().toLowerCase(Locale.ROOT);
    private final int bit;

    KeyEvent(char eventClass) {
        bit = bitOf(eventClass);
    }

    private static int bitOf(int letter) {
        return 1 << LETTERS.indexOf(letter);
    }

    /// The letters of `notify-keyspace-events` as bits; 0 if they name no event or no channel.
    public static int flags(String letters) {
        int flags = letters.replace("A", ALL).chars().map(KeyEvent::bitOf).reduce(0, (some, more) -> some | more);
        boolean hasChannel = (flags & (TO_KEYSPACE | TO_KEYEVENT)) != 0;
        return hasChannel ? flags : 0;
    }

    /// Whether these flags ask for the event.
    public boolean isIn(int flags) {
        return (flags & bit) != 0;
    }

    public String redisName() {
        return redisName;
    }
}
