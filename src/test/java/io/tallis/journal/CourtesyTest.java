package io.tallis.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.FakeClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class CourtesyTest {
    private final FakeClock clock = new FakeClock();
    private final AtomicBoolean mayRest = new AtomicBoolean(true);
    private final AtomicInteger asked = new AtomicInteger();
    private int seconds;
    private final Courtesy courtesy = new Courtesy(mayRest::get, () -> secondPasses() <= seconds, clock);

    @Test
    void rest_lastsWhileOthersDoWhatIsUrgent() {
        seconds = 3;

        courtesy.rest(0);

        assertThat(asked).hasValue(4);
    }

    /// What is urgent all the time would keep the journal from being shortened.
    @Test
    void rest_isBounded_andComesBackWithTime() {
        seconds = Integer.MAX_VALUE;

        courtesy.rest(0);
        assertThat(asked).hasValue(10);

        courtesy.rest(0);
        assertThat(asked).hasValue(10);

        clock.advance(Duration.ofSeconds(3));
        courtesy.rest(0);
        assertThat(asked).hasValue(13);
    }

    @Test
    void rest_isNoneWithoutTimeForIt() {
        seconds = Integer.MAX_VALUE;
        mayRest.set(false);

        courtesy.rest(TimeUnit.HOURS.toNanos(1));

        assertThat(asked).hasValue(0);
    }

    /// Returns how many have passed.
    private int secondPasses() {
        clock.advance(Duration.ofSeconds(1));
        return asked.incrementAndGet();
    }
}
