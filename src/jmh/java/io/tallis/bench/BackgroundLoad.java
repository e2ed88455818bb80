package io.tallis.bench;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.handler.codec.redis.RedisMessage;
import io.tallis.runtime.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Increments of random counters at a steady rate, spread over some servers, from its making until its end.
///
/// Every millisecond what is due is sent. Unlike [PacedLoad] it sleeps in between: what is measured beside it needs
/// the processor, and nobody asks how long these requests take. All state belongs to the event loop.
final class BackgroundLoad implements AutoCloseable {
    private static final long STEP_NANOS = 1_000_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final int GRACE_SECONDS = 10;

    /// The load is too much for servers that owe so many seconds' replies.
    private static final int MOST_SECONDS_BEHIND = 5;

    private final int perSecond;
    private final List<Subject> subjects;
    private final List<Line> lines = new ArrayList<>();
    private final Connections connections = new Connections("background", DefaultSelectStrategyFactory.INSTANCE);
    private final SplittableRandom random = new SplittableRandom();
    private final Clock clock = Clock.system();
    private final CompletableFuture<Long> end = new CompletableFuture<>();
    private final long start = clock.nanos();
    private final int keys;
    private boolean ending;
    private long sent;
    private long answered;

    /// Begins at once, on one connection to each; the counters are those numbered 0 to `keys` - 1.
    BackgroundLoad(int perSecond, List<Subject> subjects, int keys) {
        this.perSecond = perSecond;
        this.subjects = subjects;
        this.keys = keys;
        for (Subject subject : subjects) {
            Line line =
                    new Line(Request.of(Workload.INCRBY, subject.side()), this::replied, end::completeExceptionally);
            lines.add(line);
            connections.open(subject.server().port(), line);
        }
        connections.repeat(this::sendDue, STEP_NANOS);
    }

    private void sendDue() {
        long due = (clock.nanos() - start) / STEP_NANOS * perSecond / (NANOS_PER_SECOND / STEP_NANOS);
        while (!ending && !end.isDone() && sent < due) {
            lines.get((int) (sent++ % lines.size())).send(random.nextInt(keys));
        }
        if (sent - answered > (long) MOST_SECONDS_BEHIND * perSecond) {
            end.completeExceptionally(new BenchException("does not hold " + perSecond + "/s"));
        }
    }

    private void replied(Line line, RedisMessage reply) {
        answered++;
        endIfAnswered();
    }

    private void endIfAnswered() {
        if (ending && answered == sent) {
            end.complete(sent);
        }
    }

    /// Stops sending and waits for all replies; throws when the rate was not held. Notes with the servers what each
    /// was sent.
    void end() {
        connections.execute(() -> {
            ending = true;
            endIfAnswered();
        });
        long all = await();
        int count = subjects.size();
        for (int i = 0; i < count; i++) {
            subjects.get(i).expect(Workload.INCRBY, (all + count - 1 - i) / count);
        }
    }

    private long await() {
        try {
            return end.get(GRACE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException _) {
            throw new BenchException("the load beside was not answered within " + GRACE_SECONDS + " s");
        } catch (ExecutionException failure) {
            throw new BenchException("the load beside failed", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted under load", interrupted);
        }
    }

    @Override
    public void close() {
        connections.close();
    }
}
