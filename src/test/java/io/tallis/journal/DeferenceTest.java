package io.tallis.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.tallis.testing.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DeferenceTest {
    private final FakeClock clock = new FakeClock();
    private final List<Boolean> told = new ArrayList<>();
    private boolean hasTime = true;
    private boolean urgent = true;
    private final Deference deference = new Deference(() -> hasTime, told::add, clock);

    DeferenceTest() {
        deference.yieldTo(() -> urgent);
    }

    private void lookFor(Duration time) {
        Duration step = Duration.ofMillis(50);
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(step)) {
            deference.look();
            clock.advance(step);
        }
        deference.look();
    }

    @Test
    void threads_areHeldBackWhileOthersSayThatItIsUrgent() {
        lookFor(Duration.ofSeconds(1));
        assertThat(told).containsExactly(true);

        urgent = false;
        lookFor(Duration.ofSeconds(1));
        assertThat(told).containsExactly(true, false);
    }

    /// Else what is urgent all the time would keep the database from being written to.
    @Test
    void threads_areHeldBackHalfOfTheTime_andForTenSecondsAtMost() {
        lookFor(Duration.ofMillis(9_900));
        assertThat(told).containsExactly(true);

        lookFor(Duration.ofSeconds(1));
        assertThat(told).containsExactly(true, false);

        lookFor(Duration.ofSeconds(40));
        assertThat(told).hasSizeBetween(36, 44);
    }

    @Test
    void threads_areLetGoWhereThereIsNoTimeForIt() {
        lookFor(Duration.ofSeconds(1));

        hasTime = false;
        lookFor(Duration.ofSeconds(1));

        assertThat(told).containsExactly(true, false);
    }

    @Test
    void end_letsGoOfThreads_andHoldsNoneBackAfterwards() {
        lookFor(Duration.ofSeconds(1));

        deference.end();
        lookFor(Duration.ofSeconds(1));

        assertThat(told).containsExactly(true, false);
    }

    @Test
    void rests_areOverAtTheEnd() {
        Courtesy courtesy = deference.newCourtesy();
        deference.end();

        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> courtesy.rest(0));
    }
}
