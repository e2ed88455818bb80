package io.tallis.command;

import io.tallis.keyspace.Keyspace;

/// How much memory counters take, and so what clients may still do.
///
///     ROOM ──maxmemory──▶ FULL: no new counters ──▶ SPENT: nothing that takes more, deleting neither
///
/// Deleting takes memory, since what was deleted has to be remembered; so does the first change of a counter in each
/// life of a process. Adding to what this process has counted already goes on in any case.
public enum MemoryLevel {
    ROOM,
    FULL,
    SPENT;

    public static MemoryLevel of(Keyspace keyspace, CommandSettings settings) {
        if (keyspace.bytesKept() > settings.mostKeptBytes()) {
            return SPENT;
        }
        long used = keyspace.bytesUsed();
        if (used <= settings.maxMemoryBytes()) {
            return ROOM;
        }
        return used <= settings.mostMemoryBytes() ? FULL : SPENT;
    }
}
