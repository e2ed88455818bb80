package io.tallis.resp;

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

/// A way for event loops to wait for the network, best first.
enum Transport {
    IO_URING(IoUringServerSocketChannel.class),
    EPOLL(EpollServerSocketChannel.class),
    NIO(NioServerSocketChannel.class);

    private static final int KEEPALIVE_PROBES = 3;

    static {
        // By default the kernel goes on accepting on its own. A burst of connections would overflow the ring, and
        // when it runs out of descriptors Netty would have it try again at once, for ever. Read by Netty when its
        // part for io_uring is first used, as the next.
        System.setProperty("io.netty.iouring.acceptMultiShotEnabled", "false");
        // By default the kernel tells once that there is something to read, and again only when there is more. While a
        // connection is not read, the news that its client has reset it would be that once, and lost: nobody would
        // ever close it. Asked anew whenever reading begins, the kernel says what is so then; that costs one more
        // request to it for each read, which goes along with others.
        System.setProperty("io.netty.iouring.pollAddMultishotEnabled", "false");
    }

    private final Class<? extends ServerSocketChannel> listener;

    Transport(Class<? extends ServerSocketChannel> listener) {
        this.listener = listener;
    }

    Class<? extends ServerSocketChannel> listener() {
        return listener;
    }

    /// The transport of that name, or for `auto` the best that works here.
    static Transport choose(String name) throws IOException {
        for (Transport transport : values()) {
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

    /// Whether this machine has it.
    boolean works() {
        return switch (this) {
            case IO_URING -> IoUring.isAvailable();
            case EPOLL -> Epoll.isAvailable();
            case NIO -> true;
        };
    }

    MultiThreadIoEventLoopGroup eventLoops(int threads, ThreadFactory factory) {
        return new MultiThreadIoEventLoopGroup(threads, factory, handlers());
    }

    private IoHandlerFactory handlers() {
        return switch (this) {
            case IO_URING -> IoUringIoHandler.newFactory();
            case EPOLL -> EpollIoHandler.newFactory();
            case NIO -> NioIoHandler.newFactory();
        };
    }

    /// Has the kernel ask a silent client whether it is there, as Redis does: after so many seconds, then three
    /// times within as many again.
    void keepAlive(Channel channel, int seconds) {
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
