package io.tallis.bench;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import io.tallis.runtime.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

/// Makes counters on one server, one at a time, and sees when all others show them.
///
/// ```
///   writer    INCRBY ──────────▶ 1                              the next, a moment later
///   others    GET ▶ nil  GET ▶ nil  GET ▶ nil  GET ▶ 1
///                                └── what counts ──┘
/// ```
///
/// The others are asked from the moment on at which the increment is sent, each again as soon as it has answered; so
/// a figure holds the time of a `GET`. All state belongs to the event loop.
final class VisibilityProbe {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /// Counters follow each other at random distances, so that they fall in with no rhythm of the servers.
    private static final long LEAST_PAUSE_NANOS = 500_000;

    private static final long MOST_PAUSE_NANOS = 2_500_000;

    /// What was visible when the reply came counts as this, since there is no time of 0.
    private static final long SHORTEST_NANOS = 1_000;

    private final Plan plan;
    private final Clock clock = Clock.system();
    private final SplittableRandom random = new SplittableRandom();
    private final Histogram delays = new Histogram();
    private final CompletableFuture<Histogram> end = new CompletableFuture<>();
    private final List<Line> lines = new ArrayList<>();
    private int number;
    private int outstanding;
    private long acknowledged;
    private long lastSeen;

    /// The number of the first counter, which no one has, and how many follow; some at first are not recorded.
    record Plan(long firstKey, int unrecorded, int recorded) {
        int counters() {
            return unrecorded + recorded;
        }
    }

    VisibilityProbe(Plan plan) {
        this.plan = plan;
    }

    /// Returns the delays; throws when a counter does not become visible or a server answers with an error.
    Histogram run(Subject writer, List<Subject> others) {
        try (Connections open = new Connections("probe", DefaultSelectStrategyFactory.INSTANCE)) {
            Line writing = line(Workload.INCRBY, writer.side(), (_, _) -> {
                acknowledged = clock.nanos();
                arrived(open);
            });
            open.open(writer.server().port(), writing);
            lines.add(writing);
            for (Subject other : others) {
                Line reading = line(Workload.GET, other.side(), (line, reply) -> seen(open, line, reply));
                open.open(other.server().port(), reading);
                lines.add(reading);
            }
            open.execute(this::begin);
            return end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException _) {
            throw new BenchException("not all counters were visible within " + PATIENCE.toSeconds() + " s");
        } catch (ExecutionException failure) {
            throw new BenchException("the probe failed", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted while probing", interrupted);
        }
    }

    private Line line(Workload workload, Side side, BiConsumer<Line, RedisMessage> replies) {
        return new Line(Request.of(workload, side), replies, end::completeExceptionally);
    }

    private void begin() {
        outstanding = lines.size();
        lines.forEach(line -> line.send(plan.firstKey() + number));
    }

    private void seen(Connections open, Line line, RedisMessage reply) {
        if (reply instanceof FullBulkStringRedisMessage bulk && bulk.isNull()) {
            line.send(plan.firstKey() + number);
            return;
        }
        lastSeen = clock.nanos();
        arrived(open);
    }

    private void arrived(Connections open) {
        if (--outstanding > 0) {
            return;
        }
        if (number >= plan.unrecorded()) {
            delays.record(Math.max(SHORTEST_NANOS, lastSeen - acknowledged));
        }
        if (++number == plan.counters()) {
            end.complete(delays);
        } else {
            open.after(random.nextLong(LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS), this::begin);
        }
    }
}
