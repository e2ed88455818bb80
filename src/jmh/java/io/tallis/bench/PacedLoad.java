package io.tallis.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SelectStrategy;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.util.IntSupplier;
import io.tallis.runtime.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/// Requests at a fixed rate, each sent when it is due, whether or not earlier ones have been answered.
///
/// A latency counts from the moment at which the request was *due*. Whatever holds back the server, or this
/// generator, is so seen by every request that had to wait for it, and not by one alone.
final class PacedLoad {
    /*
     * How requests leave on time
     * --------------------------
     * Sleeping until the next request is due would be late by the kernel's timer slack, which is as long as the reply
     * takes. So the event loop never sleeps: each time it would ask the kernel for events it first sends what is due,
     * then polls. That takes one core of the machine for the generator, on both sides alike.
     */

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /// How long after the last request was due all replies must be there, or the server does not hold the rate.
    private static final int GRACE_SECONDS = 5;

    /// The most that may be unanswered on a connection; a server that is further behind does not hold the rate.
    private static final int MOST_UNANSWERED = 1 << 14;

    private final Plan plan;
    private final Request request;
    private final LongUnaryOperator keys;
    private final Clock clock = Clock.system();
    private final Histogram latencies = new Histogram();
    private final CompletableFuture<Histogram> end = new CompletableFuture<>();
    private final List<Sender> senders = new ArrayList<>();
    private boolean started;
    private long start;
    private long sent;
    private long answered;

    /// How many requests, how fast, on how many connections; the first ones are answered but not recorded.
    record Plan(int connections, int perSecond, int warmupSeconds, int seconds) {
        long requests() {
            return (long) perSecond * (warmupSeconds + seconds);
        }

        long unrecorded() {
            return (long) perSecond * warmupSeconds;
        }
    }

    PacedLoad(Plan plan, Request request, LongUnaryOperator keys) {
        this.plan = plan;
        this.request = request;
        this.keys = keys;
    }

    /// Returns the latencies; throws when the server does not hold the rate or answers with an error.
    Histogram run(int port) {
        try (Connections open = new Connections("load", () -> this::sendThenPoll)) {
            for (int i = 0; i < plan.connections(); i++) {
                Sender sender = new Sender();
                open.open(port, sender);
                senders.add(sender);
            }
            open.execute(this::begin);
            return end.get(plan.warmupSeconds() + plan.seconds() + GRACE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException _) {
            throw new BenchException("does not hold " + plan.perSecond() + "/s");
        } catch (ExecutionException failure) {
            throw new BenchException("load on port " + port + " failed", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted under load", interrupted);
        }
    }

    private void begin() {
        start = clock.nanos();
        started = true;
    }

    /// The event loop asks this, every time round, how to wait for events.
    private int sendThenPoll(IntSupplier poll, boolean hasTasks) throws Exception {
        if (started) {
            sendDue();
        }
        return hasTasks || started ? poll.get() : SelectStrategy.SELECT;
    }

    private void sendDue() {
        long now = clock.nanos();
        while (started && sent < plan.requests() && now - due(sent) >= 0) {
            senders.get((int) (sent % plan.connections())).send(sent++);
        }
    }

    /// When the request of that number is to be sent.
    private long due(long number) {
        return start + number * NANOS_PER_SECOND / plan.perSecond();
    }

    private void answered(long number) {
        if (number >= plan.unrecorded()) {
            latencies.record(clock.nanos() - due(number));
        }
        if (++answered == plan.requests()) {
            started = false;
            end.complete(latencies);
        }
    }

    private void fail(Throwable failure) {
        started = false;
        end.completeExceptionally(failure);
    }

    /// A connection. All take turns, so the numbers of its requests follow from that of the oldest one.
    private final class Sender extends SimpleChannelInboundHandler<RedisMessage> {
        private @Nullable ChannelHandlerContext context;
        private long oldestUnanswered = -1;
        private int unanswered;

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            this.context = context;
        }

        void send(long number) {
            if (unanswered == MOST_UNANSWERED || context == null) {
                fail(new BenchException("does not hold " + plan.perSecond() + "/s"));
                return;
            }
            if (unanswered++ == 0) {
                oldestUnanswered = number;
            }
            ByteBuf out = context.alloc().buffer(request.length());
            request.write(keys.applyAsLong(number), out);
            var _ = context.writeAndFlush(out, context.voidPromise());
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, RedisMessage reply) {
            if (reply instanceof ErrorRedisMessage error) {
                fail(new BenchException("answered with: " + error.content()));
                return;
            }
            long number = oldestUnanswered;
            oldestUnanswered += plan.connections();
            unanswered--;
            answered(number);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            fail(new BenchException("the server closed a connection"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
            fail(failure);
        }
    }
}
