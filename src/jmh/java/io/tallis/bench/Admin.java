package io.tallis.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.IntegerRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.handler.codec.redis.SimpleStringRedisMessage;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A connection for one question at a time: is it ready, what does it know of itself, what is this counter worth.
final class Admin implements AutoCloseable {
    private static final int LONGEST_ANSWER_SECONDS = 600;

    private final Connections connections = new Connections("admin", DefaultSelectStrategyFactory.INSTANCE);
    private final BlockingQueue<Answer> answers = new ArrayBlockingQueue<>(1);
    private @Nullable Handler handler;

    /// What a server said.
    record Answer(boolean error, String text) {}

    /// Connects; returns false when nobody listens there yet.
    boolean connect(int port) {
        Handler candidate = new Handler();
        boolean connected = connections.tryOpen(port, candidate);
        handler = connected ? candidate : null;
        return connected;
    }

    /// Asks and waits for the answer, be it an error.
    Answer ask(String... words) {
        if (handler == null) {
            throw new IllegalStateException("not connected");
        }
        ChannelHandlerContext context = handler.context();
        var _ = context.writeAndFlush(Request.message(List.of(words)), context.voidPromise());
        try {
            Answer answer = answers.poll(LONGEST_ANSWER_SECONDS, TimeUnit.SECONDS);
            if (answer == null) {
                throw new BenchException(
                        String.join(" ", words) + " was not answered within " + LONGEST_ANSWER_SECONDS + " s");
            }
            return answer;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted while waiting for an answer", interrupted);
        }
    }

    /// Asks and returns what must not be an error.
    String call(String... words) {
        Answer answer = ask(words);
        if (answer.error()) {
            throw new BenchException(String.join(" ", words) + " was answered with: " + answer.text());
        }
        return answer.text();
    }

    /// A field of `INFO`, empty when there is none of that name.
    String info(String field) {
        return call("INFO", "everything")
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    @Override
    public void close() {
        connections.close();
    }

    private final class Handler extends SimpleChannelInboundHandler<RedisMessage> {
        private @Nullable ChannelHandlerContext context;

        ChannelHandlerContext context() {
            if (context == null) {
                throw new IllegalStateException("not connected");
            }
            return context;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            this.context = context;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, RedisMessage reply) {
            boolean _ = answers.offer(answerOf(reply));
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            boolean _ = answers.offer(new Answer(true, "connection closed"));
        }

        private static Answer answerOf(RedisMessage reply) {
            return switch (reply) {
                case ErrorRedisMessage error -> new Answer(true, error.content());
                case SimpleStringRedisMessage text -> new Answer(false, text.content());
                case IntegerRedisMessage number -> new Answer(false, Long.toString(number.value()));
                case FullBulkStringRedisMessage bulk ->
                    new Answer(false, bulk.content().toString(UTF_8));
                default -> new Answer(true, "an answer of an unexpected kind: " + reply);
            };
        }
    }
}
