package io.tallis.resp.socket;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.io.IOException;
import java.util.concurrent.ThreadFactory;
import jdk.net.ExtendedSocketOptions;

/// The ways in which Netty's event loops can wait for the network, the best first.
public enum NettyTransport {
    IO_URING(IoUringServerSocketChannel.class),
    EPOLL(EpollServerSocketChannel.class),
    NIO(NioServerSocketChannel.class);

    private static final int KEEPALIVE_PROBES = 3;

    static {
        // By default the kernel accepts connections on its own. A burst would overflow the ring, and without free
        // descriptors Netty would retry at once, for ever. Netty reads both properties when io_uring is first used.
        System.setProperty("io.netty.iouring.acceptMultiShotEnabled", "false");
        // By default the kernel reports once that there is something to read, and again only when more arrives. A reset
        // by the client while the connection is not read would be that one report, and the connection would never be
        // closed. A new poll for each read costs one more submission, which is batched with others.
        System.setProperty("io.netty.iouring.pollAddMultishotEnabled", "false");
    }

    private final Class<? extends ServerSocketChannel> listener;

    NettyTransport(Class<? extends ServerSocketChannel> listener) {
        this.listener = listener;
    }

    public Class<? extends ServerSocketChannel> listener() {
        return listener;
    }

    /// The transport of that name, or for `auto` the best available one.
    public static NettyTransport choose(String name) throws IOException {
        for (NettyTransport transport : values()) {
            if (name.equals("auto") && transport.works()) {
                return transport;
            }
            if (name.equals(transport.toString())) {
                if (!transport.works()) {
                    throw new IOException("The transport " + name + " does not work on this machine; try auto");
                }
                return transport;
            }
        }
        throw new IOException("The transport is " + name + ", expected auto, io_uring, epoll or nio");
    }

    /// Whether it is available on this machine.
    public boolean works() {
        return switch (this) {
            case IO_URING -> IoUring.isAvailable();
            case EPOLL -> Epoll.isAvailable();
            case NIO -> true;
        };
    }

    public MultiThreadIoEventLoopGroup eventLoops(int threads, ThreadFactory factory) {
        return new MultiThreadIoEventLoopGroup(threads, factory, handlers());
    }

    private IoHandlerFactory handlers() {
        return switch (this) {
            case IO_URING -> IoUringIoHandler.newFactory();
            case EPOLL -> EpollIoHandler.newFactory();
            case NIO -> NioIoHandler.newFactory();
        };
    }

    /// Enables TCP keepalive as Redis does: the first probe after so many seconds of silence, then two more within as
    /// many
    /// again.
    public void keepAlive(Channel channel, int seconds) {
        channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
        int pause = Math.max(1, seconds / KEEPALIVE_PROBES);
        switch (this) {
            case IO_URING -> {
                channel.config().setOption(IoUringChannelOption.TCP_KEEPIDLE, seconds);
                channel.config().setOption(IoUringChannelOption.TCP_KEEPINTVL, pause);
                channel.config().setOption(IoUringChannelOption.TCP_KEEPCNT, KEEPALIVE_PROBES);
            }
            case EPOLL -> {
                channel.config().setOption(EpollChannelOption.TCP_KEEPIDLE, seconds);
                channel.config().setOption(EpollChannelOption.TCP_KEEPINTVL, pause);
                channel.config().setOption(EpollChannelOption.TCP_KEEPCNT, KEEPALIVE_PROBES);
            }
            case NIO -> {
                channel.config().setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), seconds);
                channel.config().setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), pause);
                channel.config().setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), KEEPALIVE_PROBES);
            }
        }
    }

    @Override
    public String toString() {
        return switch (this) {
            case IO_URING -> "io_uring";
            case EPOLL -> "epoll";
            case NIO -> "nio";
        };
    }
}
