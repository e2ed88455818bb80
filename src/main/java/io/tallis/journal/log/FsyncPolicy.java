package io.tallis.journal.log;

/// When a change is acknowledged; Redis's `appendfsync`.
public enum FsyncPolicy {
    /// When it is on the disk.
    ALWAYS,
    /// When the operating system has it; the disk has it a second later.
    EVERYSEC,
    /// When the operating system has it; the disk has it when the system likes, or when much waits for it.
    NO
}
