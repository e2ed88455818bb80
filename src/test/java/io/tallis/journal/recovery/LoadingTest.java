package io.tallis.journal.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.journal.log.LoadingProgress;
import io.tallis.testing.FakeClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class LoadingTest {
    private final FakeClock clock = new FakeClock();
    private final Loading loading = new Loading(clock);

    @Test
    void progress_beforeAnythingIsKnown_isZero() {
        assertThat(loading.progress().percent()).isZero();
        assertThat(loading.progress().done()).isFalse();
    }

    @Test
    void progress_ofAQuarter_estimatesThreeTimesTheElapsedTime() {
        loading.expect(500, 20_000);
        loading.loaded(250);
        clock.advance(Duration.ofSeconds(2));

        LoadingProgress progress = loading.progress();

        assertThat(progress.percent()).isEqualTo(25);
        assertThat(progress.cells()).isEqualTo(250);
        assertThat(progress.elapsedMillis()).isEqualTo(2_000);
        assertThat(progress.secondsLeft()).isEqualTo(6);
    }

    @Test
    void progress_beyondTheEstimate_staysAtAHundredPercent() {
        loading.expect(10, 0);
        loading.loaded(10);
        loading.replayed(1_000);

        assertThat(loading.progress().percent()).isEqualTo(100);
        assertThat(loading.progress().done()).isFalse();
    }

    @Test
    void done_stopsTheClock() {
        clock.advance(Duration.ofSeconds(3));
        loading.done();
        clock.advance(Duration.ofSeconds(3));

        assertThat(loading.progress().done()).isTrue();
        assertThat(loading.progress().percent()).isEqualTo(100);
        assertThat(loading.progress().elapsedMillis()).isEqualTo(3_000);
    }
}
