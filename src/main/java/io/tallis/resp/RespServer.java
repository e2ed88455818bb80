package io.tallis.resp;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import io.tallis.command.dispatch.RequestHandler;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.metrics.NetworkStats;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import io.tallis.runtime.Threads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// The server for the Redis protocol: listeners, event loops, connections.
///
/// Owns its threads, `resp-1`, `resp-2`, ...; each serves its share of the connections, from the request to the
/// reply.
public final class RespServer implements AutoCloseable {
    private static final WriteBufferWaterMark WATER_MARKS = new WriteBufferWaterMark(64 * 1024, 256 * 1024);
    private static final int SECONDS_TO_SAY_GOODBYE = 3;
    private static final int SECONDS_TO_STOP = 5;

    /// What a server works with: who handles requests; a log of changes for each event loop; the counters; who
    /// keeps the list of clients; the time; where to count; and what to call, on an event loop, when a turn that
    /// changed something has gone to the journal, which must be quick.
    public record Ports(
            RequestHandler handler,
            Supplier<TurnLog> turnLogs,
            Keyspace keyspace,
            Connections connections,
            Clock clock,
            NetworkStats stats,
            Runnable afterTurn) {}

    private final Transport transport;
    private final MultiThreadIoEventLoopGroup eventLoops;
    private final Map<EventLoop, Worker> workers = new HashMap<>();
    private final Listeners listeners;
    private int port;

    /// Starts event loops and listens. Throws with one line that a person can act on when that is not possible.
    public RespServer(RespSettings settings, Live<RespLimits> limits, Ports ports) throws IOException {
        transport = Transport.choose(settings.transport());
        listeners = new Listeners(ports.clock());
        eventLoops = transport.eventLoops(threads(settings), threads());
        var crowd = new Crowd(limits, threads(settings));
        try {
            for (EventExecutor executor : eventLoops) {
                var loop = (SingleThreadEventLoop) executor;
                workers.put(loop, new Worker(loop, crowd, limits, ports));
            }
            listen(settings, new Admission(transport, workers, ports.handler()));
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

    /// Netty keeps its caches of buffers by thread only for threads that say so.
    private static ThreadFactory threads() {
        ThreadFactory named = Threads.named("resp");
        return body -> named.newThread(() -> FastThreadLocalThread.runWithFastThreadLocal(body));
    }

    private void listen(RespSettings settings, Admission admission) throws IOException {
        SslContext tls = settings.tlsPort() == 0 ? null : Tls.open(settings);
        ServerBootstrap bootstrap = bootstrap(settings);
        if (settings.port() != RespSettings.NO_PORT) {
            port = listeners.open(bootstrap.clone().childHandler(admission.at(null)), settings.bind(), settings.port());
        }
        if (tls != null) {
            listeners.open(bootstrap.clone().childHandler(admission.at(tls)), settings.bind(), settings.tlsPort());
        }
    }

    private ServerBootstrap bootstrap(RespSettings settings) {
        return new ServerBootstrap()
                .group(eventLoops)
                .channel(transport.listener())
                .option(ChannelOption.SO_BACKLOG, settings.tcpBacklog())
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARKS);
    }

    /// The port without TLS that clients connect to; 0 if there is none.
    public int port() {
        return port;
    }

    /// How many threads serve clients.
    public int eventLoops() {
        return workers.size();
    }

    /// How event loops wait for the network: `io_uring`, `epoll` or `nio`.
    public String transport() {
        return transport.toString();
    }

    /// Takes no more connections or requests, sends the replies that are due, as far as clients take them and the
    /// journal confirms them within seconds, and stops. Not to be called on an event loop.
    @Override
    public void close() {
        listeners.close();
        if (!eventLoops.isShuttingDown()) {
            List<Future<Void>> ends = new ArrayList<>();
            workers.values().forEach(worker -> ends.add(worker.end()));
            long deadline = SECONDS_TO_SAY_GOODBYE * 1000L;
            ends.forEach(end -> end.awaitUninterruptibly(deadline));
            var _ = eventLoops.shutdownGracefully(0, SECONDS_TO_STOP, TimeUnit.SECONDS);
        }
        eventLoops.terminationFuture().awaitUninterruptibly(SECONDS_TO_STOP, TimeUnit.SECONDS);
    }
}
