package io.tallis.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// Runs long tasks in the background: for each role one after the other, on a thread with the name of the role that
/// exists while the role has tasks.
///
/// At most [#MOST_WAITING] tasks wait for each role; further ones are refused.
public final class LongTasks {
    private static final int MOST_WAITING = 100;

    @GuardedBy("this")
    private final Map<String, Queue<Runnable>> waiting = new HashMap<>();

    /// Queues the task behind earlier ones of the same role. Returns false when it is refused because the queue is
    /// full.
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
