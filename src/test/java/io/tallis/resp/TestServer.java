package io.tallis.resp;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Link.Suspension;
import io.tallis.command.Reply;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.StandInTurnLog;
import io.tallis.keyspace.TurnLog;
import io.tallis.metrics.DurationHistogram;
import io.tallis.metrics.NetworkStats;
import io.tallis.resp.RespLimits.OutputLimit;
import io.tallis.resp.socket.RespSettings;
import io.tallis.resp.socket.Tls;
import io.tallis.runtime.Clock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;

/// A RESP server whose commands, journal, clock and registry of clients are controlled by a test.
///
/// Commands: `PING`, `ECHO word`, `ADD key` (changes a counter), `BIG n` (replies n bytes), `HELLO version`, `QUIT`,
/// `SEND word` (also sends it as a message to the client itself), `TELL word` (sends it as a message to all clients),
/// `SUSPEND` (is answered by the test), `HOLD` (blocks the event loop until the test releases it), `FAIL` (throws).
final class TestServer implements AutoCloseable {
    private static final OutputLimit NO_LIMIT = new OutputLimit(0, 0, 0);
    private static final int SECONDS_TO_WAIT = 20;

    /// The limits, which the test may change at any time.
    volatile RespLimits limits = limits(100, 0, 0, NO_LIMIT);

    /// Whether the journal holds turns in [#turns] until the test decides; else it writes them at once.
    volatile boolean journalHolds;
    volatile boolean anyChangeIsMuch;

    /// Whether handing a turn to the journal throws, as a bug would.
    volatile boolean journalThrows;

    volatile boolean journalIsCongested;
    final BlockingQueue<TurnLog.Outcome> turns = new LinkedBlockingQueue<>();
    final BlockingQueue<Suspension> suspensions = new LinkedBlockingQueue<>();
    final BlockingQueue<CountDownLatch> holding = new LinkedBlockingQueue<>();
    final BlockingQueue<Client> opened = new LinkedBlockingQueue<>();
    final Set<Client> present = ConcurrentHashMap.newKeySet();
    final AtomicInteger handled = new AtomicInteger();

    /// The most bytes of messages that waited for clients after a `TELL`.
    final AtomicLong mostWaiting = new AtomicLong();

    /// The clients of the `PING` requests, in the order of their handling.
    final Queue<Long> pinging = new ConcurrentLinkedQueue<>();

    final AtomicLong nanos = new AtomicLong();
    final NetworkStats stats = new NetworkStats();
    private final AtomicInteger looks = new AtomicInteger();
    final AtomicInteger turnsEnded = new AtomicInteger();
    private final RespServer server;

    TestServer() throws IOException {
        this("auto");
    }

    TestServer(String transport) throws IOException {
        this(new RespSettings(List.of("127.0.0.1"), 0, 511, 1, transport));
    }

    TestServer(RespSettings settings) throws IOException {
        Keyspace keyspace =
                new Keyspace(new Replicas(new ReplicaId(1, 1)), new AtomicLong()::incrementAndGet, () -> 1_000_000);
        server = new RespServer(
                settings,
                () -> limits,
                new RespPorts(
                        this::handle,
                        HeldLog::new,
                        keyspace,
                        new Registry(),
                        new SetClock(),
                        stats,
                        new DurationHistogram(),
                        turnsEnded::incrementAndGet));
    }

    static RespLimits limits(int maxClients, int timeout, long queryLimit, OutputLimit output) {
        return limits(maxClients, timeout, queryLimit, 1L << 40, output);
    }

    static RespLimits limits(int maxClients, int timeout, long queryLimit, long clientsBytes, OutputLimit output) {
        return new RespLimits(maxClients, timeout, 300, true, false, 1 << 20, queryLimit, clientsBytes, output, output);
    }

    int port() {
        return server.port();
    }

    /// Listens for TLS on a free port, and returns that.
    int listen(Tls tls) throws IOException {
        String address = server.listenFor(FrontEnd.NONE.within(tls), 0).getFirst();
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    RespSocket connect() throws IOException {
        return RespSocket.connect(port());
    }

    /// The next element, or a failure when none comes in time.
    static <T> T await(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(SECONDS_TO_WAIT, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing came in " + SECONDS_TO_WAIT + " seconds");
        }
        return next;
    }

    @Override
    public void close() {
        server.close();
    }

    /// Changes a counter, as `ADD` does.
    void add(Client client, String key, Reply reply) {
        byte[] bytes = key.getBytes(StandardCharsets.US_ASCII);
        client.counters().add(new Key().set(bytes, 0, bytes.length), 1);
        reply.integer(client.counters().value());
    }

    /// Waits until the connections have seen a tick that began after this call.
    void awaitTick() {
        int before = looks.get();
        Awaitility.await().until(() -> looks.get() > before + 1);
    }

    private void handle(Arguments arguments, Client client, Reply reply) {
        handled.incrementAndGet();
        switch (arguments.text(0)) {
            case "PING" -> {
                pinging.add(client.id());
                reply.status("PONG");
            }
            case "ECHO" -> reply.bulk(arguments.bytes(1));
            case "ADD" -> add(client, arguments.text(1), reply);
            case "BIG" -> reply.bulk(new byte[Integer.parseInt(arguments.text(1))]);
            case "HELLO" -> {
                client.protocol(Integer.parseInt(arguments.text(1)));
                reply.nil();
            }
            case "QUIT" -> {
                client.link().closeAfterReplies();
                reply.ok();
            }
            case "SEND" -> {
                String word = arguments.text(1);
                client.link().send(word.length(), push -> push.status(word));
                reply.ok();
            }
            case "TELL" -> {
                byte[] word = arguments.bytes(1);
                for (Client other : present) {
                    other.link().send(word.length, push -> push.bulk(word));
                }
                long waiting = present.stream()
                        .mapToLong(other -> other.link().buffers().messages())
                        .sum();
                mostWaiting.accumulateAndGet(waiting, Math::max);
                reply.ok();
            }
            case "SUSPEND" -> suspensions.add(client.link().suspend());
            case "HOLD" -> {
                CountDownLatch latch = new CountDownLatch(1);
                holding.add(latch);
                pass(latch);
                reply.ok();
            }
            case "FAIL" -> throw new IllegalStateException("a bug, on purpose");
            default -> reply.error("ERR unknown command '" + arguments.text(0) + "'");
        }
    }

    private static void pass(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private final class HeldLog extends StandInTurnLog {
        @Override
        protected void committed(Outcome outcome) {
            if (journalThrows) {
                throw new IllegalStateException("a bug at the end of a turn, on purpose");
            }
            if (journalHolds) {
                turns.add(outcome);
            } else {
                outcome.written();
            }
        }

        @Override
        public boolean isLong() {
            return anyChangeIsMuch && hasChanges();
        }

        @Override
        public boolean congested() {
            return journalIsCongested;
        }
    }

    private final class Registry implements RespPorts.ClientObserver {
        @Override
        public void opened(Client client) {
            present.add(client);
            opened.add(client);
        }

        @Override
        public void closed(Client client) {
            if (!present.remove(client)) {
                throw new IllegalStateException("closed twice, or never opened");
            }
        }
    }

    private final class SetClock implements Clock {
        @Override
        public long nanos() {
            looks.incrementAndGet();
            return nanos.get();
        }

        @Override
        public long epochMillis() {
            return 0;
        }
    }
}
