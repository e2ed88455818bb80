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
/// At most [#MOST_WAITING] wait for each role; others are refused.
public final class LongTasks {
    private static final int MOST_WAITING = 100;

    @GuardedBy("this")
    private final Map<String, Queue<Runnable>> waiting = new HashMap<>();

    /// Has the task done after those that were wanted before from the same role. Returns false, and does not, when
    /// too many wait.
    public synchronized boolean add(String role, Runnable task) {
        Queue<Runnable> queue = waiting.get(role);
        if (queue == null) {
            waiting.put(role, new ArrayDeque<>());
            Threads.start(role, () -> work(role, task));
        } else if (queue.size() >= MOST_WAITING) {
            return false;
        } else {
            queue.add(task);
        }
        return true;
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
