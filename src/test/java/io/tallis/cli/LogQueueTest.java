package io.tallis.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class LogQueueTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final CountDownLatch disk = new CountDownLatch(1);
    private final CountDownLatch writing = new CountDownLatch(1);
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final LogQueue queue = new LogQueue(new SlowStream(), new Plain());

    @Test
    void lines_areWrittenInTheirOrder() {
        disk.countDown();
        queue.publish(new LogRecord(Level.INFO, "one"));
        queue.publish(new LogRecord(Level.INFO, "tw\u00f6"));

        queue.awaitWritten(LONG);

        assertThat(text()).isEqualTo("one\ntw\u00f6\n");
    }

    @Test
    void blockedDestination_blocksNoCallerAndCountsDroppedLines() throws InterruptedException {
        queue.publish(new LogRecord(Level.INFO, "first"));
        writing.await();
        for (int i = 0; i < LogQueue.MOST_WAITING + 7; i++) {
            queue.publish(new LogRecord(Level.INFO, "line " + i));
        }
        queue.awaitWritten(Duration.ofMillis(1));
        assertThat(text()).isEmpty();

        disk.countDown();
        queue.awaitWritten(LONG);

        assertThat(text().lines())
                .hasSize(1 + LogQueue.MOST_WAITING + 1)
                .startsWith("first", "line 0")
                .endsWith("line 999", "The log could not be written for a while: 7 lines are missing");
    }

    private String text() {
        return written.toString(StandardCharsets.UTF_8);
    }

    private final class SlowStream extends OutputStream {
        @Override
        public void write(int letter) {
            throw new AssertionError("byte by byte");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            writing.countDown();
            try {
                disk.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            written.write(bytes, offset, length);
        }
    }

    private static final class Plain extends Formatter {
        @Override
        public String format(LogRecord event) {
            return event.getMessage() + "\n";
        }
    }
}
