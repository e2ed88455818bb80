package io.tallis.resp;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import io.tallis.command.dispatch.RequestHandler;
import io.tallis.resp.socket.Listeners;
import io.tallis.resp.socket.LoopTask;
import io.tallis.resp.socket.NettyTransport;
import io.tallis.resp.socket.RespSettings;
import io.tallis.runtime.Live;
import io.tallis.runtime.Threads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/// The server for the Redis protocol (RESP): listeners, event loops, connections.
///
/// Owns the threads `resp-1`, `resp-2`, ... Each is an event loop that serves some of the connections, from the request
/// to the reply.
public final class RespServer implements AutoCloseable {
    private static final WriteBufferWaterMark WATER_MARKS = new WriteBufferWaterMark(64 * 1024, 256 * 1024);
    private static final int SECONDS_TO_REPLY = 3;
    private static final int SECONDS_TO_STOP = 5;

    private final NettyTransport transport;
    private final MultiThreadIoEventLoopGroup eventLoops;
    private final Map<EventLoop, RespLoop> loops = new HashMap<>();
    private final Listeners listeners;
    private final Admission admission;
    private final RespSettings settings;
    private final RequestHandler handler;
    private List<InetSocketAddress> addresses = List.of();

    /// Starts the event loops and listens. An [IOException] has a message of one line for the operator.
    public RespServer(RespSettings settings, Live<RespLimits> limits, RespPorts ports) throws IOException {
        this.settings = settings;
        handler = ports.handler();
        transport = NettyTransport.choose(settings.transport());
        listeners = new Listeners(ports.clock());
        eventLoops = transport.eventLoops(threads(settings), threads());
        admission = new Admission(transport, loops);
        var memory = new ClientMemory(limits, threads(settings));
        try {
            for (EventExecutor executor : eventLoops) {
                var loop = (SingleThreadEventLoop) executor;
                loops.put(loop, new RespLoop(loop, memory, limits, ports));
            }
            if (settings.port() != RespSettings.NO_PORT) {
                addresses = listen(FrontEnd.NONE, handler, settings.port());
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private static int threads(RespSettings settings) {
        return settings.ioThreads() > 0
                ? settings.ioThreads()
                : Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }

    /// Netty caches buffers only for threads that are marked as its own.
    private static ThreadFactory threads() {
        ThreadFactory named = Threads.named("resp");
        return body -> named.newThread(() -> FastThreadLocalThread.runWithFastThreadLocal(body));
    }

    /// Listens on a further port of the same addresses, for clients behind a front end, and returns the addresses as
    /// `address:port`. To be called at the start, by one thread.
    public List<String> listenFor(FrontEnd frontEnd, int port) throws IOException {
        return listenFor(frontEnd, handler, port);
    }

    /// The same, with another handler of requests.
    public List<String> listenFor(FrontEnd frontEnd, RequestHandler requests, int port) throws IOException {
        return text(listen(frontEnd, requests, port));
    }

    private List<InetSocketAddress> listen(FrontEnd frontEnd, RequestHandler requests, int port) throws IOException {
        return listeners.open(bootstrap().childHandler(admission.at(frontEnd, requests)), settings.bind(), port);
    }

    private ServerBootstrap bootstrap() {
        return new ServerBootstrap()
                .group(eventLoops)
                .channel(transport.listener())
                .option(ChannelOption.SO_BACKLOG, settings.tcpBacklog())
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARKS);
    }

    /// The port without a front end; 0 if there is none.
    public int port() {
        return addresses.isEmpty() ? 0 : addresses.getFirst().getPort();
    }

    /// The addresses without a front end, as `address:port`.
    public List<String> addresses() {
        return text(addresses);
    }

    private static List<String> text(List<InetSocketAddress> addresses) {
        return addresses.stream().map(NetUtil::toSocketAddressString).toList();
    }

    /// The number of event loops.
    public int eventLoops() {
        return loops.size();
    }

    /// The transport in use: `io_uring`, `epoll` or `nio`.
    public String transport() {
        return transport.toString();
    }

    /// Runs the task when each event loop has answered, one after the other; never, while one of them hangs.
    public void whenAllLoopsAnswer(Runnable task) {
        askNext(List.copyOf(loops.keySet()).iterator(), task);
    }

    private static void askNext(Iterator<EventLoop> remaining, Runnable task) {
        if (remaining.hasNext()) {
            new LoopTask(() -> askNext(remaining, task)).on(remaining.next());
        } else {
            task.run();
        }
    }

    /// Accepts no more connections; existing ones go on.
    public void stopListening() {
        listeners.close();
    }

    /// Accepts no more connections and requests, sends the replies that are due, as far as clients take them and the
    /// journal confirms them within some seconds, and stops. Must not be called on an event loop.
    @Override
    public void close() {
        listeners.close();
        if (!eventLoops.isShuttingDown()) {
            List<Future<Void>> ends = new ArrayList<>();
            loops.values().forEach(loop -> ends.add(loop.end()));
            long deadline = SECONDS_TO_REPLY * 1000L;
            ends.forEach(end -> end.awaitUninterruptibly(deadline));
            var _ = eventLoops.shutdownGracefully(0, SECONDS_TO_STOP, TimeUnit.SECONDS);
        }
        eventLoops.terminationFuture().awaitUninterruptibly(SECONDS_TO_STOP, TimeUnit.SECONDS);
    }
}
