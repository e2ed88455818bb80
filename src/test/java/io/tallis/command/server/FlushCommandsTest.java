package io.tallis.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class FlushCommandsTest {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<String> replies = new ArrayList<>();
    private final FlushCommands.Queue queue = new FlushCommands.Queue(this::flush, new HeldTasks());
    private Runnable meanwhile = () -> {};
    private @Nullable String error;
    private int flushes;

    private @Nullable String flush() {
        flushes++;
        Runnable now = meanwhile;
        meanwhile = () -> {};
        now.run();
        return error;
    }

    @Test
    void flushes_askedForWhileOneRuns_areServedByTheNextOne() {
        meanwhile = () -> {
            for (int i = 0; i < 1000; i++) {
                join("late");
            }
        };
        join("first");

        tasks.remove().run();
        assertThat(replies).containsExactly("first null");
        assertThat(tasks).hasSize(1);
        tasks.remove().run();

        assertThat(flushes).isEqualTo(2);
        assertThat(replies).hasSize(1001);
        assertThat(tasks).isEmpty();
    }

    @Test
    void failure_isRepliedToAllClientsOfTheFlush() {
        error = "MISCONF full";
        join("one");
        join("other");

        tasks.remove().run();

        assertThat(replies).containsExactly("one MISCONF full", "other MISCONF full");
        assertThat(tasks).isEmpty();
    }

    @Test
    void flush_afterTheEndOfThePreviousOne_startsAnother() {
        join("one");
        tasks.remove().run();
        join("other");

        tasks.remove().run();

        assertThat(flushes).isEqualTo(2);
    }

    private void join(String client) {
        queue.join(end -> replies.add(client + " " + end));
    }

    /// Holds tasks until the test runs them.
    private final class HeldTasks implements Later {
        @Override
        public void after(Duration delay, Runnable task) {
            throw new AssertionError("nothing is due later");
        }

        @Override
        public boolean onItsOwn(String thread, Runnable task) {
            tasks.add(task);
            return true;
        }
    }
}
