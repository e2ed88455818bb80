package io.tallis.command;

/// What `CLIENT TRACKING` has switched on for a client: is told of what the client reads. Called by the client's event
/// loop; [#flags] and [#redirect] by any thread.
public interface Tracker {
    /// The client is about to run a command, perhaps within a transaction. Before it reads, so that no change between
    /// the two is missed.
    void beforeRun(CommandEntry entry, Arguments arguments);

    /// A request of the client was handled.
    void afterRequest(CommandEntry entry);

    /// The letters of `CLIENT LIST`.
    String flags();

    /// The id of the client that gets the messages; 0 if it is this one.
    long redirect();
}
