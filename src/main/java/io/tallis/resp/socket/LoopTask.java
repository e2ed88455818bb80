package io.tallis.resp.socket;

import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import io.tallis.runtime.Halt;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/// A task for an event loop. All tasks are submitted through this class.
///
/// An exception of the task is a bug and ends the process, as on any other thread. Netty alone would log it, or
/// silently cancel a repeated task, and go on with what the task left unfinished: turns without an outcome, connections
/// that wait for ever.
public record LoopTask(Runnable body) implements Runnable {
    @Override
    public void run() {
        try {
            body.run();
        } catch (Throwable mistake) {
            throw Halt.because(mistake);
        }
    }

    /// Runs it soon. Dropped when the event loop has terminated, and all its connections with it.
    public void on(EventLoop loop) {
        try {
            loop.execute(this);
        } catch (RejectedExecutionException _) {
            // The server has closed.
        }
    }

    /// Runs it when the event loop has done everything that is ready. Dropped when the event loop has terminated.
    public void atEndOfIteration(SingleThreadEventLoop loop) {
        try {
            loop.executeAfterEventLoopIteration(this);
        } catch (RejectedExecutionException _) {
            // The server has closed.
        }
    }

    /// Runs it after a delay, unless the event loop terminates before.
    public void inSeconds(int seconds, EventLoop loop) {
        var _ = loop.schedule(this, seconds, TimeUnit.SECONDS);
    }

    /// Runs it a while after it ended last, again and again, until the event loop terminates.
    public void everyMillis(int millis, EventLoop loop) {
        var _ = loop.scheduleWithFixedDelay(this, millis, millis, TimeUnit.MILLISECONDS);
    }

    /// Runs it every second until the event loop terminates.
    public void everySecond(EventLoop loop) {
        var _ = loop.scheduleWithFixedDelay(this, 1, 1, TimeUnit.SECONDS);
    }
}
