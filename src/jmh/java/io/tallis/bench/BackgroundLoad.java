package io.tallis.bench;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.tallis.runtime.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Increments of random counters at a steady rate, spread over some connections, from its making until its end.
///
/// Every millisecond what came due in it is sent. Unlike [PacedLoad] it sleeps in between: what is measured beside it
/// needs the processor. A latency counts from the end of the millisecond in which the request came due, not from its
/// sending, and so holds how late the kernel woke the sender. All state belongs to the event loop.
final class BackgroundLoad implements AutoCloseable {
    private static final long STEP_NANOS = 1_000_000;
    private static final long STEPS_PER_SECOND = 1_000;
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
    private final int keys;
    private final long[] answeredBy;
    private final long start;
    private Histogram latencies = new Histogram();
    private boolean ending;
    private long sent;
    private long answered;

    /// Begins at once, on a connection to each of `subjects`, which may name one more than once; the counters are those
    /// numbered 0 to `keys` - 1.
    BackgroundLoad(int perSecond, List<Subject> subjects, int keys) {
        this.perSecond = perSecond;
        this.subjects = subjects;
        this.keys = keys;
        answeredBy = new long[subjects.size()];
        for (Subject subject : subjects) {
            int place = lines.size();
            Request request = Request.of(Workload.INCRBY, subject.side());
            Line line = new Line(request, (_, _) -> replied(place), end::completeExceptionally);
            lines.add(line);
            connections.open(subject.server().port(), line);
        }
        // Steps are to begin when they are counted: nothing that takes time belongs between these two.
        Runnable step = this::sendDue;
        start = clock.nanos();
        connections.repeat(step, STEP_NANOS);
    }

    private void sendDue() {
        long due = (clock.nanos() - start) / STEP_NANOS * perSecond / STEPS_PER_SECOND;
        while (!ending && !end.isDone() && sent < due) {
            lines.get((int) (sent++ % lines.size())).send(random.nextInt(keys));
        }
        if (sent - answered > (long) MOST_SECONDS_BEHIND * perSecond) {
            end.completeExceptionally(new BenchException("does not hold " + perSecond + "/s"));
        }
    }

    /// All lines take turns, and each is answered in order, so the numbers of its requests follow from how many were.
    private void replied(int place) {
        long number = answeredBy[place]++ * lines.size() + place;
        latencies.record(clock.nanos() - dueAt(number));
        answered++;
        endIfAnswered();
    }

    /// The request of that number is sent in the first step by which more are due than precede it.
    private long dueAt(long number) {
        return start + Math.ceilDiv((number + 1) * STEPS_PER_SECOND, perSecond) * STEP_NANOS;
    }

    private void endIfAnswered() {
        if (ending && answered == sent) {
            end.complete(sent);
        }
    }

    /// Returns the latencies of what was answered since this was last called, or since the beginning; throws when there
    /// are none or the rate was not held.
    Histogram takeLatencies() {
        CompletableFuture<Histogram> taken = new CompletableFuture<>();
        connections.execute(() -> {
            taken.complete(latencies);
            latencies = new Histogram();
        });
        Histogram histogram = taken.join();
        if (end.isCompletedExceptionally()) {
            var _ = await();
        }
        if (histogram.total() == 0) {
            throw new BenchException("the load beside was not answered");
        }
        return histogram;
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
