package io.tallis.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A connection that sends one kind of request, each when it is told to, and shows all replies but errors.
///
/// Belongs to the event loop that it was opened on. After an error, or the end of the connection, it is of no more
/// use; either is told to `failures`.
final class Line extends SimpleChannelInboundHandler<RedisMessage> {
    private final Request request;
    private final BiConsumer<Line, RedisMessage> replies;
    private final Consumer<Throwable> failures;
    private @Nullable ChannelHandlerContext context;

    Line(Request request, BiConsumer<Line, RedisMessage> replies, Consumer<Throwable> failures) {
        this.request = request;
        this.replies = replies;
        this.failures = failures;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        this.context = context;
    }

    /// Asks for the key of that number.
    void send(long key) {
        if (context == null) {
            failures.accept(new BenchException("not connected"));
            return;
        }
        ByteBuf out = context.alloc().buffer(request.length());
        request.write(key, out);
        var _ = context.writeAndFlush(out, context.voidPromise());
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, RedisMessage reply) {
        if (reply instanceof ErrorRedisMessage error) {
            failures.accept(new BenchException("answered with: " + error.content()));
        } else {
            replies.accept(this, reply);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        failures.accept(new BenchException("the server closed a connection"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
        failures.accept(failure);
    }
}
