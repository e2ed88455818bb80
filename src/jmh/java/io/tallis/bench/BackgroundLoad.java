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

/// Increments of random counters at a steady rate, spread over some servers, from its making until its end.
///
/// Every millisecond what is due is sent. Unlike [PacedLoad] it sleeps in between, since what is measured beside it
/// needs the processor. A latency counts from the millisecond in which the request was due, as it does there, and so
/// holds how late the kernel wakes the sender. All state belongs to the event loop.
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

    /// Begins at once, on a connection for each mention; the counters are those numbered 0 to `keys` - 1.
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
        start = clock.nanos();
        connections.repeat(this::sendDue, STEP_NANOS);
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

    /// The step in which the request of that number is sent is the first one by which more are due than precede it.
    private long due(long number) {
        return start + Math.ceilDiv((number + 1) * STEPS_PER_SECOND, perSecond) * STEP_NANOS;
    }

    /// All lines take turns, and each is answered in order, so the numbers of its requests follow from how many were.
    private void replied(int place) {
        long number = answeredBy[place]++ * lines.size() + place;
        latencies.record(clock.nanos() - due(number));
        answered++;
        endIfAnswered();
    }

    /// The latencies of what was answered since this was last called, or since the begin.
    Histogram takeLatencies() {
        CompletableFuture<Histogram> taken = new CompletableFuture<>();
        connections.execute(() -> {
            taken.complete(latencies);
            latencies = new Histogram();
        });
        return taken.join();
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
