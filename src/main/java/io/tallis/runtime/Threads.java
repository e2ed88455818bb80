package io.tallis.runtime;

import java.util.concurrent.ThreadFactory;

/// Creates the threads of the process, named after their roles.
public final class Threads {
    private Threads() {}

    /// A factory of daemon threads `role-1`, `role-2`, ...
    public static ThreadFactory named(String role) {
        return Thread.ofPlatform().name(role + "-", 1).daemon().factory();
    }

    /// Starts a daemon thread.
    public static Thread start(String role, Runnable body) {
        return Thread.ofPlatform().name(role).daemon().start(body);
    }

    /// A thread that is not started: a shutdown hook.
    public static Thread unstarted(String role, Runnable body) {
        return Thread.ofPlatform().name(role).unstarted(body);
    }
}
