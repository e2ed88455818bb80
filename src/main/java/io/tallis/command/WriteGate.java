package io.tallis.command;

import org.jspecify.annotations.Nullable;

/// Whether changes can be kept. Asked before every command that may change something, so it must answer at once.
@FunctionalInterface
public interface WriteGate {
    /// Why changes are refused, as an error reply (`MISCONF ...`); null while they are taken.
    @Nullable
    String refusal();

    WriteGate OPEN = () -> null;

    /// The refusal of a node that stops.
    String STOPPING = "LOADING The server is shutting down";
}
