package io.tallis.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class FlushRoundsTest {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<String> told = new ArrayList<>();
    private final FlushRounds rounds = new FlushRounds(this::flush, new Queued());
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
    void clients_thatAskWhileAFlushRuns_shareTheNextOne() {
        meanwhile = () -> {
            for (int i = 0; i < 1000; i++) {
                join("late");
            }
        };
        join("first");

        tasks.remove().run();
        assertThat(told).containsExactly("first null");
        assertThat(tasks).hasSize(1);
        tasks.remove().run();

        assertThat(flushes).isEqualTo(2);
        assertThat(told).hasSize(1001);
        assertThat(tasks).isEmpty();
    }

    @Test
    void flushThatFails_isToldToAllWhoShareIt() {
        error = "MISCONF full";
        join("one");
        join("other");

        tasks.remove().run();

        assertThat(told).containsExactly("one MISCONF full", "other MISCONF full");
        assertThat(tasks).isEmpty();
    }

    @Test
    void flush_afterTheLastHasEnded_isAnotherOne() {
        join("one");
        tasks.remove().run();
        join("other");

        tasks.remove().run();

        assertThat(flushes).isEqualTo(2);
    }

    private void join(String who) {
        rounds.join(end -> told.add(who + " " + end));
    }

    /// Does tasks when the test says so.
    private final class Queued implements Later {
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
