package io.tallis.command.server;

/// The end of the node's process, which closes all clients.
@FunctionalInterface
public interface Lifecycle {
    /// Begins to stop and returns at once. `atTheEnd` is run, on some thread, when all is on disk.
    void stop(Runnable atTheEnd);
}
