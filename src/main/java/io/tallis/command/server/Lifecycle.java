package io.tallis.command.server;

/// The end of the node's process, which closes all clients.
@FunctionalInterface
public interface Lifecycle {
    /// Begins to stop and returns at once.
    void stop();
}
