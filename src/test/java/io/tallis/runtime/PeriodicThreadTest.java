package io.tallis.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class PeriodicThreadTest {
    private static final long LONG = TimeUnit.HOURS.toNanos(1);

    @Test
    void wake_whileResting_endsTheRest() throws InterruptedException {
        Semaphore rounds = new Semaphore(0);
        try (PeriodicThread worker = new PeriodicThread("worker", () -> LONG, rounds::release)) {
            worker.start();
            rounds.acquire();

            for (int i = 0; i < 1_000; i++) {
                worker.wake();
                rounds.acquire();
            }
        }
    }

    @Test
    void wake_whileWorking_makesAnotherRound() throws InterruptedException {
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Semaphore rounds = new Semaphore(0);
        Runnable work = () -> {
            working.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            rounds.release();
        };
        try (PeriodicThread worker = new PeriodicThread("worker", () -> LONG, work)) {
            worker.start();
            working.await();
            worker.wake();
            goOn.countDown();

            rounds.acquire(2);
        }
    }

    @Test
    void start_again_isRefused() {
        try (PeriodicThread worker = new PeriodicThread("worker", () -> LONG, () -> {})) {
            worker.start();

            assertThatThrownBy(worker::start).hasMessageContaining("once");
        }
    }

    @Test
    void rest_thatIsOver_makesAnotherRound() throws InterruptedException {
        Semaphore rounds = new Semaphore(0);
        try (PeriodicThread worker = new PeriodicThread("worker", () -> 0, rounds::release)) {
            worker.start();

            rounds.acquire(3);
        }
    }

    @Test
    void close_endsTheWork() {
        AtomicInteger rounds = new AtomicInteger();
        PeriodicThread worker = new PeriodicThread("worker", () -> 0, rounds::incrementAndGet);
        worker.start();

        worker.close();

        int after = rounds.get();
        worker.wake();
        worker.close();
        assertThat(rounds).hasValue(after);
    }
}
