package io.tallis.resp.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.tallis.runtime.Threads;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class LoopTaskTest {
    private final BlockingQueue<Throwable> fatal = new LinkedBlockingQueue<>();
    private final EventLoopGroup loops = NettyTransport.NIO.eventLoops(1, reporting());
    private final SingleThreadEventLoop loop = (SingleThreadEventLoop) loops.next();

    /// Threads whose uncaught exceptions are recorded here.
    private ThreadFactory reporting() {
        ThreadFactory named = Threads.named("resp");
        return body -> {
            Thread thread = named.newThread(body);
            thread.setUncaughtExceptionHandler((_, mistake) -> fatal.add(mistake));
            return thread;
        };
    }

    @AfterEach
    void stop() {
        var _ = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void exception_ofATask_reachesTheUncaughtExceptionHandler() throws InterruptedException {
        new LoopTask(LoopTaskTest::mistake).on(loop);

        assertThat(fatal.take()).hasMessage("made by a test");
    }

    @Test
    void exception_ofATaskAtTheEndOfAnIteration_reachesTheHandler() throws InterruptedException {
        new LoopTask(() -> new LoopTask(LoopTaskTest::mistake).atEndOfIteration(loop)).on(loop);

        assertThat(fatal.take()).hasMessage("made by a test");
    }

    @Test
    void exception_ofADelayedTask_reachesTheHandler() throws InterruptedException {
        new LoopTask(LoopTaskTest::mistake).inSeconds(0, loop);

        assertThat(fatal.take()).hasMessage("made by a test");
    }

    @Test
    void exception_ofARepeatedTask_reachesTheHandler() throws InterruptedException {
        new LoopTask(LoopTaskTest::mistake).everySecond(loop);

        assertThat(fatal.take()).hasMessage("made by a test");
    }

    @Test
    void task_forATerminatedLoop_isDropped() {
        stop();

        new LoopTask(LoopTaskTest::mistake).on(loop);
        new LoopTask(LoopTaskTest::mistake).atEndOfIteration(loop);

        assertThat(fatal).isEmpty();
    }

    private static void mistake() {
        throw new IllegalStateException("made by a test");
    }
}
