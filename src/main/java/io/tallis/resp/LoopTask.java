package io.tallis.resp;

import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import io.tallis.runtime.Halt;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/// A task of ours for an event loop, the only way to give it one.
///
/// What it throws is a mistake of ours and ends the process, as on any other thread. Netty by itself would log it, or
/// drop a repeated task in silence, and go on with whatever the task has left half done: turns that nobody hears of,
/// connections that wait for ever.
record LoopTask(Runnable body) implements Runnable {
    @Override
    public void run() {
        try {
            body.run();
        } catch (Throwable mistake) {
            throw Halt.because(mistake);
        }
    }

    /// Runs it soon. Dropped when the event loop has ended, and all its connections with it.
    void on(EventLoop loop) {
        try {
            loop.execute(this);
        } catch (RejectedExecutionException _) {
            // The server has closed.
        }
    }

    /// Runs it when the event loop has done all that is ready. Dropped when the event loop has ended.
    void atEndOfIteration(SingleThreadEventLoop loop) {
        try {
            loop.executeAfterEventLoopIteration(this);
        } catch (RejectedExecutionException _) {
            // The server has closed.
        }
    }

    /// Runs it so much later, unless the event loop ends before.
    void inSeconds(int seconds, EventLoop loop) {
        var _ = loop.schedule(this, seconds, TimeUnit.SECONDS);
    }

    /// Runs it again and again, a second after it has run, until the event loop ends.
    void everySecond(EventLoop loop) {
        var _ = loop.scheduleWithFixedDelay(this, 1, 1, TimeUnit.SECONDS);
    }
}
