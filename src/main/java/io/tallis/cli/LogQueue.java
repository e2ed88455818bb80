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

/// A log handler that writes on a thread of its own, so that no caller blocks while the destination does: a disk that
/// hangs, or a pipe that is not read.
///
///     any thread: format -> queue, at most 1,000 lines -> thread `log`: write
///
/// Lines that do not fit into the queue are dropped; their number is logged after the lines that were queued.
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
                write(takeAll());
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Waits for lines and takes all that are queued.
    private String takeAll() throws InterruptedException {
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
                                Level.WARNING,
                                "The log could not be written for a while: " + dropped + " lines are missing")));
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

    /// Waits until all lines logged so far are written, at most for `limit`.
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

    /// Does nothing: each batch of lines is flushed when it is written.
    @Override
    public void flush() {}

    @Override
    public void close() {}
}
