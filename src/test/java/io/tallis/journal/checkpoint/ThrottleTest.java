package io.tallis.journal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.tallis.testing.FakeClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ThrottleTest {
    private final FakeClock clock = new FakeClock();
    private final List<Boolean> throttled = new ArrayList<>();
    private final AtomicInteger asked = new AtomicInteger();
    private boolean hasTime = true;
    private boolean repairing = true;
    private final Throttle throttle = new Throttle(() -> hasTime, throttled::add, clock);

    ThrottleTest() {
        throttle.throttleWhile(() -> repairing);
    }

    private void updateFor(Duration time) {
        Duration step = Duration.ofMillis(50);
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(step)) {
            boolean _ = throttle.update();
            clock.advance(step);
        }
        boolean _ = throttle.update();
    }

    @Test
    void database_isThrottledDuringARepair() {
        updateFor(Duration.ofSeconds(1));
        assertThat(throttled).containsExactly(true);

        repairing = false;
        updateFor(Duration.ofSeconds(1));
        assertThat(throttled).containsExactly(true, false);
    }

    /// A repair that never ends must not keep the database from being written to.
    @Test
    void database_isThrottledForTenSecondsAtMost_thenForHalfOfTheTime() {
        updateFor(Duration.ofMillis(9_900));
        assertThat(throttled).containsExactly(true);

        updateFor(Duration.ofSeconds(1));
        assertThat(throttled).containsExactly(true, false);

        updateFor(Duration.ofSeconds(40));
        assertThat(throttled).hasSizeBetween(36, 44);
    }

    @Test
    void database_isFreedWhenThereIsNoTime() {
        updateFor(Duration.ofSeconds(1));

        hasTime = false;
        updateFor(Duration.ofSeconds(1));

        assertThat(throttled).containsExactly(true, false);
    }

    @Test
    void end_freesTheDatabaseForGood() {
        updateFor(Duration.ofSeconds(1));

        throttle.end();
        updateFor(Duration.ofSeconds(1));

        assertThat(throttled).containsExactly(true, false);
        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> throttle.pause(TimeUnit.HOURS.toNanos(1)));
    }

    @Test
    void pause_lastsAsLongAsTheRepair() {
        secondsPerQuestion(3);

        throttle.pause(0);

        assertThat(asked).hasValue(4);
    }

    @Test
    void pause_isBoundedByTheBudget_whichGrowsAgain() {
        secondsPerQuestion(Integer.MAX_VALUE);

        throttle.pause(0);
        assertThat(asked).hasValue(10);

        clock.advance(Duration.ofSeconds(3));
        throttle.pause(0);
        assertThat(asked).hasValue(13);
    }

    @Test
    void pause_withoutTime_isNone() {
        hasTime = false;
        secondsPerQuestion(Integer.MAX_VALUE);

        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> throttle.pause(TimeUnit.HOURS.toNanos(1)));

        assertThat(asked).hasValue(0);
    }

    @Test
    void pauses_endTheTaskThatIsGivenUp() {
        assertThatThrownBy(() -> throttle.pauses(() -> {
                            throw new IOException("the node stops");
                        })
                        .take())
                .hasMessage("the node stops");
    }

    /// Has a second pass whenever it is asked whether a repair goes on, which it does for so many.
    private void secondsPerQuestion(int seconds) {
        throttle.throttleWhile(() -> {
            clock.advance(Duration.ofSeconds(1));
            return asked.incrementAndGet() <= seconds;
        });
    }
}
