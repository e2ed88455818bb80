package io.tallis.command.dispatch;

import org.jspecify.annotations.Nullable;

/// Tells whether changes are accepted. Called before every command with flag `write`, so it must return at once.
@FunctionalInterface
public interface WriteGate {
    /// The error reply with which changes are refused (`MISCONF ...`), or null while they are accepted.
    @Nullable
    String refusal();

    WriteGate OPEN = () -> null;

    /// The refusal of a node that is shutting down.
    String STOPPING = "LOADING The server is shutting down";
}
