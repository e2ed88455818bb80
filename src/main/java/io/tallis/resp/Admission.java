package io.tallis.resp;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.util.ReferenceCountUtil;
import io.tallis.command.dispatch.RequestHandler;
import io.tallis.metrics.NetworkEvent;
import io.tallis.resp.socket.NettyTransport;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The admission of new connections: accepts or refuses each, with Redis's error texts, and sets up its pipeline.
final class Admission {
    static final String TOO_MANY = "-ERR max number of clients reached\r\n";
    static final String PROTECTED =
            "-DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the"
                    + " default user. In this mode connections are only accepted over the loopback interface. To use this"
                    + " address, set a password (requirepass), by CONFIG SET from 127.0.0.1 or in the configuration file;"
                    + " or, where no stranger can reach this port, set protected-mode to no.\r\n";

    /// How many connections may be admitted beyond `maxclients`, by front ends that have probes.
    private static final int SPARE = 16;

    private static final Logger LOG = System.getLogger(Admission.class.getName());

    private final NettyTransport transport;

    private final Map<EventLoop, RespLoop> loops;
    private final AtomicInteger connected = new AtomicInteger();
    private final AtomicLong lastId = new AtomicLong();

    Admission(NettyTransport transport, Map<EventLoop, RespLoop> loops) {
        this.transport = transport;
        this.loops = loops;
    }

    /// The initializer of connections to a listener, whose requests the handler answers.
    ChannelInitializer<Channel> at(FrontEnd frontEnd, RequestHandler handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                admit(channel, frontEnd, handler);
            }
        };
    }

    private void admit(Channel channel, FrontEnd frontEnd, RequestHandler handler) {
        RespLoop loop = loops.get(channel.eventLoop());
        if (loop == null) {
            throw new IllegalStateException("the connection belongs to an unknown event loop");
        }
        loop.stats().add(NetworkEvent.RECEIVED, 1);
        int before = connected.getAndIncrement();
        channel.closeFuture().addListener(_ -> connected.decrementAndGet());
        int most = loop.limits().maxClients();
        FrontEnd admitted = before < most ? frontEnd : before < most + SPARE ? frontEnd.whenFull() : null;
        String refusal = refusal(loop.limits(), channel.remoteAddress());
        if (admitted == null) {
            refuse(channel, loop, frontEnd.refusal(TOO_MANY));
        } else if (refusal != null) {
            refuse(channel, loop, frontEnd.refusal(refusal));
        } else {
            accept(channel, loop, admitted, handler);
        }
    }

    /// The error for a client from that address; null if it is accepted.
    static @Nullable String refusal(RespLimits limits, SocketAddress client) {
        boolean isLocal =
                !(client instanceof InetSocketAddress inet) || inet.getAddress().isLoopbackAddress();
        return isLocal || !limits.protectedMode() || limits.passwordSet() ? null : PROTECTED;
    }

    private void accept(Channel channel, RespLoop loop, FrontEnd frontEnd, RequestHandler handler) {
        int keepalive = loop.limits().tcpKeepaliveSeconds();
        if (keepalive > 0) {
            transport.keepAlive(channel, keepalive);
        }
        FrontEnd.Upstream upstream = frontEnd.addTo(channel, loop);
        RespConnection connection = new RespConnection(channel, loop, handler, lastId.incrementAndGet(), upstream);
        channel.pipeline().addLast(connection.encoder(), connection);
    }

    /// Best effort, as in Redis: a client that expects TLS, or has sent something, may not get the text.
    private static void refuse(Channel channel, RespLoop loop, String text) {
        loop.stats().add(NetworkEvent.REJECTED, 1);
        LOG.log(Level.DEBUG, "Refusing the connection from {0}: {1}", channel.remoteAddress(), text.strip());

        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                context.writeAndFlush(ByteBufUtil.writeAscii(context.alloc(), text))
                        .addListener(ChannelFutureListener.CLOSE);
            }

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ReferenceCountUtil.release(message);
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                var _ = context.close();
            }
        });
    }
}
