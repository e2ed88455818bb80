package io.tallis.runtime;

import java.util.concurrent.ThreadFactory;

/// Makes the threads of the process, each with the name of its role.
public final class Threads {
    private Threads() {}

    /// A factory of threads `role-1`, `role-2`, ...; they do not keep the process alive.
    public static ThreadFactory named(String role) {
        return Thread.ofPlatform().name(role + "-", 1).daemon().factory();
    }

    /// A single started thread of that role; it does not keep the process alive.
    public static Thread start(String role, Runnable body) {
        return Thread.ofPlatform().name(role).daemon().start(body);
    }

    /// A thread of that role for the JVM to start when it ends.
    public static Thread unstarted(String role, Runnable body) {
        return Thread.ofPlatform().name(role).unstarted(body);
    }
}
