package io.tallis.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class BackgroundTest {
    private static final Duration OFTEN = Duration.ofMillis(1);

    @Test
    void periodicTask_thatThrows_runsAgain() throws InterruptedException {
        CountDownLatch runs = new CountDownLatch(3);
        try (Background background = new Background()) {
            background.every(OFTEN, () -> {
                runs.countDown();
                throw new IllegalStateException("made by a test");
            });

            assertThat(runs.await(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void task_thatThrowsAnError_callsTheUncaughtExceptionHandler() throws InterruptedException {
        AtomicReference<@Nullable Throwable> heard = new AtomicReference<>();
        CountDownLatch told = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        try (Background background = new Background()) {
            background.every(OFTEN, () -> {
                if (runs.incrementAndGet() == 1) {
                    Thread.currentThread().setUncaughtExceptionHandler((_, error) -> {
                        heard.set(error);
                        told.countDown();
                    });
                    throw new StackOverflowError("made by a test");
                }
            });

            told.await();
        }

        assertThat(heard.get()).isInstanceOf(StackOverflowError.class);
    }
}
