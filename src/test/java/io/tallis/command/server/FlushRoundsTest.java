package io.tallis.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

final class FlushRoundsTest {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<String> told = new ArrayList<>();
    private final FlushRounds rounds = new FlushRounds(this::flush, new Queued());
    private Runnable meanwhile = () -> {};
    private boolean kept = true;
    private int flushes;

    private boolean flush() {
        flushes++;
        Runnable now = meanwhile;
        meanwhile = () -> {};
        now.run();
        return kept;
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
        assertThat(told).containsExactly("first true");
        assertThat(tasks).hasSize(1);
        tasks.remove().run();

        assertThat(flushes).isEqualTo(2);
        assertThat(told).hasSize(1001);
        assertThat(tasks).isEmpty();
    }

    @Test
    void flushThatFails_isToldToAllWhoShareIt() {
        kept = false;
        join("one");
        join("other");

        tasks.remove().run();

        assertThat(told).containsExactly("one false", "other false");
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
        rounds.join(kept -> told.add(who + " " + kept));
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
