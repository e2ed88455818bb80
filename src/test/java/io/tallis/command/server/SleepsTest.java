package io.tallis.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;

final class SleepsTest {
    private final Queue<Runnable> due = new ArrayDeque<>();
    private final Sleeps sleeps = new Sleeps(new Due());

    @Test
    void sleep_beyondTheMostAtATime_isRefused() {
        for (int i = 0; i < Sleeps.MOST; i++) {
            assertThat(sleeps.begin()).isTrue();
        }

        assertThat(sleeps.begin()).isFalse();
        assertThat(sleeps.begin()).isFalse();
    }

    @Test
    void sleep_thatIsOver_makesRoomForAnother() {
        for (int i = 0; i < Sleeps.MOST; i++) {
            sleeps.begin();
        }
        var woken = new ArrayDeque<String>();
        sleeps.until(Duration.ofSeconds(1), () -> woken.add("woken"));

        due.remove().run();

        assertThat(woken).containsExactly("woken");
        assertThat(sleeps.begin()).isTrue();
        assertThat(sleeps.begin()).isFalse();
    }

    /// Keeps what is due until the test has it run.
    private final class Due implements Later {
        @Override
        public void after(Duration delay, Runnable task) {
            due.add(task);
        }

        @Override
        public boolean onItsOwn(String thread, Runnable task) {
            throw new AssertionError("sleeping takes no thread");
        }
    }
}
