package io.tallis.command;

/// Whether a client wants answers (`CLIENT REPLY`).
public enum ReplyMode {
    ON,
    OFF,
    /// Not to the next command.
    SKIP_NEXT
}
