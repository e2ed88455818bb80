package io.tallis.runtime;

/// Ends the process when a bug has left a change half done.
///
/// Acknowledged changes are in the journal; memory can no longer be trusted. The process ends at the place of the
/// failure, with all locks held, so that no other thread reads, stores or sends the half-done state (I8).
public final class Halt {
    private Halt() {}

    /// Calls the handler of uncaught exceptions, which in a server halts the process and does not return. In tests it
    /// returns, so the caller throws the result.
    public static Error because(Throwable bug) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, bug);
        return bug instanceof Error error ? error : new AssertionError(bug);
    }
}
