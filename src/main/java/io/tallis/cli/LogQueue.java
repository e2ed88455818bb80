package io.tallis.cli;

import io.tallis.runtime.Clock;
import io.tallis.runtime.Threads;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.logging.ErrorManager;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/// Has lines written by a thread of its own: what they go to may stand still, be it a disk or a pipe that nobody reads,
/// and nobody who has something to tell may wait for it.
///
///     whoever logs: format -> at most 1,000 lines -> `log`: write
///
/// What comes while so many wait is dropped, and told of as soon as the others are written.
final class LogQueue extends Handler {
    static final int MOST_WAITING = 1_000;

    private final Clock clock = Clock.system();
    private final OutputStream destination;
    private final Queue<String> waiting = new ArrayDeque<>();
    private long dropped;
    private boolean writing;

    LogQueue(OutputStream destination, Formatter format) {
        this.destination = destination;
        setFormatter(format);
        setLevel(Level.ALL);
        Threads.start("log", this::work);
    }

    @Override
    public void publish(LogRecord event) {
        if (!isLoggable(event)) {
            return;
        }
        String line = getFormatter().format(event);
        synchronized (waiting) {
            if (waiting.size() == MOST_WAITING) {
                dropped++;
            } else {
                waiting.add(line);
                waiting.notifyAll();
            }
        }
    }

    private void work() {
        try {
            while (true) {
                write(next());
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// All that waits, as soon as there is something.
    private String next() throws InterruptedException {
        synchronized (waiting) {
            writing = false;
            waiting.notifyAll();
            while (waiting.isEmpty()) {
                waiting.wait();
            }
            writing = true;
            var lines = new StringBuilder();
            waiting.forEach(lines::append);
            waiting.clear();
            if (dropped > 0) {
                lines.append(getFormatter()
                        .format(new LogRecord(
                                Level.WARNING, "The log stood still: " + dropped + " lines are missing")));
                dropped = 0;
            }
            return lines.toString();
        }
    }

    private void write(String lines) {
        try {
            destination.write(lines.getBytes(StandardCharsets.UTF_8));
            destination.flush();
        } catch (IOException failure) {
            reportError(null, failure, ErrorManager.WRITE_FAILURE);
        }
    }

    /// Waits until all is written that was told so far, but no longer than that.
    void awaitWritten(Duration limit) {
        long end = clock.nanos() + limit.toNanos();
        synchronized (waiting) {
            try {
                for (long left = limit.toNanos();
                        left > 0 && (writing || !waiting.isEmpty());
                        left = end - clock.nanos()) {
                    TimeUnit.NANOSECONDS.timedWait(waiting, left);
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// Nothing is kept back.
    @Override
    public void flush() {}

    @Override
    public void close() {}
}
