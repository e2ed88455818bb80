package io.tallis.journal.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.FakeClock;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class DiskTroubleTest {
    private final FakeClock clock = new FakeClock();
    private final DiskTrouble trouble = new DiskTrouble(clock);

    @Test
    void refusalWithoutAFailedWrite_countsAsAFailure() {
        trouble.roundSucceeded("No space left on device");
        trouble.roundSucceeded("No space left on device");

        assertThat(trouble.refusal()).endsWith("No space left on device");
        assertThat(trouble.failuresEver()).isEqualTo(1);
    }

    @Test
    void failedWrite_countsOnce() {
        trouble.failed(new IOException("No space left on device"));
        trouble.roundSucceeded("No space left on device");

        assertThat(trouble.failuresEver()).isEqualTo(1);
    }

    @Test
    void recovery_keepsTheLastFailure() {
        trouble.hung();
        trouble.roundSucceeded(null);

        assertThat(trouble.refusal()).isNull();
        assertThat(trouble.failuresEver()).isEqualTo(1);
        assertThat(trouble.lastFailure()).isEqualTo("the disk does not answer");
    }

    @Test
    void lastFailure_hasItsTime() {
        assertThat(trouble.lastFailureEpochMillis()).isEqualTo(-1);

        trouble.hung();
        long then = clock.epochMillis();
        clock.advance(Duration.ofMinutes(5));
        trouble.roundSucceeded(null);

        assertThat(trouble.lastFailureEpochMillis()).isEqualTo(then);
    }
}
