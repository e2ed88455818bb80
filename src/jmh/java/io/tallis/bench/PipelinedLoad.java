package io.tallis.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import io.tallis.runtime.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/// A number of requests as fast as the server answers them: every connection sends a batch, waits for all its
/// replies, and sends the next.
///
/// All state belongs to the one event loop; the caller waits for its end.
final class PipelinedLoad {
    /// A server slower than this is taken for stuck.
    private static final long LEAST_PER_SECOND = 2_000;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final long count;
    private final int batch;
    private final Request request;
    private final LongUnaryOperator keys;
    private final Consumer<RedisMessage> replies;
    private final CompletableFuture<Long> end = new CompletableFuture<>();
    private long sent;
    private long answered;

    /// Asks `count` times, the i-th time for the key numbered `keys(i)`, and shows every reply.
    PipelinedLoad(long count, int batch, Request request, LongUnaryOperator keys, Consumer<RedisMessage> replies) {
        this.count = count;
        this.batch = batch;
        this.request = request;
        this.keys = keys;
        this.replies = replies;
    }

    /// Returns how many nanoseconds it took; throws when the server answers with an error or stops answering.
    long run(int port, int connections) {
        try (Connections open = new Connections("load", DefaultSelectStrategyFactory.INSTANCE)) {
            List<Sender> senders = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                Sender sender = new Sender();
                open.open(port, sender);
                senders.add(sender);
            }
            long start = Clock.system().nanos();
            open.execute(() -> senders.forEach(Sender::sendBatch));
            return end.get(PATIENCE.toSeconds() + count / LEAST_PER_SECOND, TimeUnit.SECONDS) - start;
        } catch (TimeoutException _) {
            throw new BenchException("not all of " + count + " requests were answered in time");
        } catch (ExecutionException failure) {
            throw new BenchException("load on port " + port + " failed", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted under load", interrupted);
        }
    }

    private final class Sender extends SimpleChannelInboundHandler<RedisMessage> {
        private @Nullable ChannelHandlerContext context;
        private long unanswered;

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            this.context = context;
        }

        void sendBatch() {
            unanswered = Math.min(batch, count - sent);
            if (unanswered == 0 || context == null) {
                return;
            }
            ByteBuf out = context.alloc().buffer((int) unanswered * request.length());
            for (int i = 0; i < unanswered; i++) {
                request.write(keys.applyAsLong(sent++), out);
            }
            var _ = context.writeAndFlush(out, context.voidPromise());
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, RedisMessage reply) {
            if (reply instanceof ErrorRedisMessage error) {
                end.completeExceptionally(new BenchException("answered with: " + error.content()));
                return;
            }
            replies.accept(reply);
            if (++answered == count) {
                end.complete(Clock.system().nanos());
            }
            if (--unanswered == 0) {
                sendBatch();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            end.completeExceptionally(new BenchException("the server closed a connection"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
            end.completeExceptionally(failure);
        }
    }
}
