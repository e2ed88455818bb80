package io.tallis.command;

import io.tallis.keyspace.Keyspace;

/// How full the memory for counters is, and so which commands are accepted.
///
///     ROOM ──maxmemory──▶ FULL: no new counters ──▶ SPENT: nothing that takes memory
///
/// A deletion takes memory, because the totals that were reset have to be kept. So does the first change of a counter
/// by each process, which adds a shard. Adding to a shard that this process already has takes none and is always
/// accepted.
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
