package io.tallis.bench;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.codec.redis.RedisBulkStringAggregator;
import io.netty.handler.codec.redis.RedisDecoder;
import io.netty.handler.codec.redis.RedisEncoder;
import io.tallis.runtime.Threads;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;

/// Connections to servers on this machine, all on one event loop.
final class Connections implements AutoCloseable {
    private static final int CONNECT_TIMEOUT_MILLIS = 5_000;
    private static final int EVENTS_GROW_AS_NEEDED = 0;

    private final EventLoopGroup loop;

    Connections(String role, SelectStrategyFactory strategy) {
        loop = new MultiThreadIoEventLoopGroup(
                1, Threads.named(role), EpollIoHandler.newFactory(EVENTS_GROW_AS_NEEDED, strategy));
    }

    /// Runs on the event loop.
    void execute(Runnable task) {
        loop.execute(task);
    }

    /// Runs again and again on the event loop, which need not be on time.
    void repeat(Runnable task, long periodNanos) {
        var _ = loop.scheduleAtFixedRate(task, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
    }

    /// Runs once on the event loop, so much later.
    void after(long nanos, Runnable task) {
        var _ = loop.schedule(task, nanos, TimeUnit.NANOSECONDS);
    }

    /// Opens a connection whose replies go to `handler`.
    void open(int port, ChannelHandler handler) {
        if (!tryOpen(port, handler)) {
            throw new BenchException("nobody listens on port " + port);
        }
    }

    /// Opens a connection whose replies go to `handler`; returns whether there was somebody to connect to.
    boolean tryOpen(int port, ChannelHandler handler) {
        return new Bootstrap()
                .group(loop)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(new RedisDecoder(), new RedisBulkStringAggregator())
                                .addLast(new RedisEncoder(), handler);
                    }
                })
                .connect(InetAddress.getLoopbackAddress(), port)
                .awaitUninterruptibly()
                .isSuccess();
    }

    /// Closes all connections.
    @Override
    public void close() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
