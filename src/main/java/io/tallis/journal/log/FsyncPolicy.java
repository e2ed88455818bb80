package io.tallis.journal.log;

/// When a change is acknowledged: Redis's `appendfsync`.
public enum FsyncPolicy {
    /// When it is on the disk.
    ALWAYS,
    /// When the operating system has it; the disk has it a second later.
    EVERYSEC,
    /// When the operating system has it; it is synced only when much waits for that.
    NO
}
