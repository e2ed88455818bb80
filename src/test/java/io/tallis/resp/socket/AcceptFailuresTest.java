package io.tallis.resp.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.tallis.testing.FakeClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class AcceptFailuresTest {
    private final FakeClock clock = new FakeClock();
    private final List<String> lines = new ArrayList<>();
    private final EmbeddedChannel listener = new EmbeddedChannel(new AcceptFailures(clock));
    private final Logger logger = Logger.getLogger(AcceptFailures.class.getName());
    private final Handler recorder = new Recorder();

    @BeforeEach
    void listen() {
        logger.setUseParentHandlers(false);
        logger.addHandler(recorder);
        listener.freezeTime();
    }

    @AfterEach
    void stop() {
        logger.removeHandler(recorder);
        logger.setUseParentHandlers(true);
        assertThat(listener.finish()).isFalse();
    }

    @Test
    void failure_stopsAcceptingForASecond() {
        fail(1);

        assertThat(listener.config().isAutoRead()).isFalse();

        listener.advanceTimeBy(1, TimeUnit.SECONDS);
        listener.runScheduledPendingTasks();

        assertThat(listener.config().isAutoRead()).isTrue();
    }

    @Test
    void manyFailures_areLoggedInOneLine() {
        fail(100);

        assertThat(lines).containsExactly("Could not accept a client connection: Too many open files");

        clock.advance(Duration.ofSeconds(30));
        fail(1);

        assertThat(lines)
                .hasSize(2)
                .last()
                .isEqualTo(
                        "Could not accept a client connection: Too many open files (99 more failures since the last message)");
    }

    /// Netty would log each failure that is passed on.
    @Test
    void failure_isNotPassedOn() {
        fail(1);

        listener.checkException();
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            listener.pipeline().fireExceptionCaught(new IOException("Too many open files"));
        }
    }

    private final class Recorder extends Handler {
        @Override
        public void publish(LogRecord event) {
            lines.add(event.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
