package io.tallis.runtime;

/// The end of the process after a mistake of ours that left something half done.
///
/// What was acknowledged is on its way to the disk or there; what is in memory is not to be trusted any more. So it
/// must end before anybody else sees it: where the mistake is met, with all locks held.
public final class Halt {
    private Halt() {}

    /// Tells whoever hears of threads that fail, which in a server ends the process and does not return. Where
    /// nobody does that, as in tests, the result is to be thrown.
    public static Error because(Throwable mistake) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, mistake);
        return mistake instanceof Error error ? error : new AssertionError(mistake);
    }
}
