package io.tallis.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// Tasks that take long, one after the other for each role, on a thread of that name which lives while there are
/// any.
///
/// How many may wait is bounded by those who ask: each waits for the end of its task.
public final class LongTasks {
    @GuardedBy("this")
    private final Map<String, Queue<Runnable>> waiting = new HashMap<>();

    /// Has the task done after those that were wanted before from the same role.
    public synchronized void add(String role, Runnable task) {
        Queue<Runnable> queue = waiting.get(role);
        if (queue == null) {
            waiting.put(role, new ArrayDeque<>());
            Threads.start(role, () -> work(role, task));
        } else {
            queue.add(task);
        }
    }

    private void work(String role, Runnable first) {
        for (Runnable task = first; task != null; task = next(role)) {
            task.run();
        }
    }

    private synchronized @Nullable Runnable next(String role) {
        Queue<Runnable> queue = waiting.get(role);
        Runnable next = queue == null ? null : queue.poll();
        if (next == null) {
            waiting.remove(role);
        }
        return next;
    }
}
