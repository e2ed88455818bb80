package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.PeerStatus.Lag;
import org.junit.jupiter.api.Test;

final class FrameTimesTest {
    private static final long SECOND = 1_000_000_000;

    private final FrameTimes times = new FrameTimes();

    @Test
    void lag_ofAPeerThatHasAll_isZero() {
        times.sent(1, 0);

        assertThat(times.lag(1, 1, 5 * SECOND)).isEqualTo(new Lag(0, 0));
    }

    @Test
    void lag_isTheAgeOfTheFirstFrameThatIsMissing() {
        times.sent(1, 0);
        times.sent(2, SECOND);
        times.sent(3, 2 * SECOND);

        assertThat(times.lag(1, 3, 5 * SECOND)).isEqualTo(new Lag(2, 4000));
    }

    @Test
    void frames_sentTogether_haveTheTimeOfTheFirst() {
        times.sent(1, 0);
        times.sent(2, FrameTimes.GRAIN_NANOS - 1);
        times.sent(3, FrameTimes.GRAIN_NANOS);

        assertThat(times.ageMillis(2, SECOND)).isEqualTo(1000);
        assertThat(times.ageMillis(3, SECOND)).isEqualTo(900);
    }

    @Test
    void lag_beyondTheRing_isTheAgeOfItsOldestEntry() {
        for (long frame = 1; frame <= FrameTimes.ENTRIES + 10; frame++) {
            times.sent(frame, frame * SECOND);
        }

        long now = (FrameTimes.ENTRIES + 10) * SECOND;

        assertThat(times.ageMillis(1, now)).isEqualTo((FrameTimes.ENTRIES - 1) * 1000L);
    }

    @Test
    void age_whenNothingWasSent_isZero() {
        assertThat(times.ageMillis(1, SECOND)).isZero();
    }
}
