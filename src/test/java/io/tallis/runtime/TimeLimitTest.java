package io.tallis.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class TimeLimitTest {
    @Test
    void taskThatEnds_meetsTheLimit() {
        assertThat(TimeLimit.isMetBy(() -> {}, "quick", Duration.ofSeconds(50))).isTrue();
    }

    @Test
    void taskThatHangs_doesNotMeetTheLimit() {
        CountDownLatch answer = new CountDownLatch(1);
        Runnable hanging = () -> {
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };

        assertThat(TimeLimit.isMetBy(hanging, "slow", Duration.ofMillis(10))).isFalse();

        answer.countDown();
    }
}
