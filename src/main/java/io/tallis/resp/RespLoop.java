package io.tallis.resp;

import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.tallis.keyspace.Counters;
import io.tallis.metrics.DurationHistogram;
import io.tallis.metrics.NetworkEvent;
import io.tallis.metrics.NetworkStats;
import io.tallis.resp.socket.LoopTask;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// One event loop and what its connections share: turns, counters, buffers, the time, statistics. Belongs to the event
/// loop.
final class RespLoop implements FrontEnd.Meter {
    /// How often the event loop measures how late it runs a task, which is how long a request may wait for it.
    private static final int PROBE_MILLIS = 100;

    private final SingleThreadEventLoop loop;
    private final Live<RespLimits> limits;
    private final RespPorts.ClientObserver observer;
    private final Clock clock;
    private final NetworkStats.Recorder stats;
    private final DurationHistogram delays;
    private final LoopTurns turns;
    private final Counters counters;
    private final RequestBatch batch;
    private final byte[] input = Input.sharedArray();
    private final ReplyEncoder.Scratch scratch = new ReplyEncoder.Scratch();
    private final Set<LoopMember> connections = new LinkedHashSet<>();
    private final ClientMemory memory;
    private final Evictor evictor;
    private final Promise<Void> ended;
    private boolean ending;
    private long nanos;
    private long seconds;
    private long probedAt;

    RespLoop(SingleThreadEventLoop loop, ClientMemory memory, Live<RespLimits> limits, RespPorts ports) {
        this.loop = loop;
        this.memory = memory;
        this.limits = limits;
        observer = ports.observer();
        clock = ports.clock();
        stats = ports.stats().recorder();
        delays = ports.delays();
        turns = new LoopTurns(loop, ports.turnLogs().get(), ports.afterTurn());
        counters = new Counters(
                ports.keyspace(), turns, ports.keyspace().ownChanges().newRing());
        batch = new RequestBatch(counters, ports.handler());
        evictor = new Evictor(memory, loop, connections);
        ended = loop.newPromise();
        readClock();
        new LoopTask(this::tick).everySecond(loop);
        probedAt = nanos;
        new LoopTask(this::probe).everyMillis(PROBE_MILLIS, loop);
    }

    RespLimits limits() {
        return limits.now();
    }

    RespPorts.ClientObserver observer() {
        return observer;
    }

    NetworkStats.Recorder stats() {
        return stats;
    }

    LoopTurns turns() {
        return turns;
    }

    Counters counters() {
        return counters;
    }

    RequestBatch batch() {
        return batch;
    }

    /// The array that connections read into.
    byte[] input() {
        return input;
    }

    ReplyEncoder.Scratch scratch() {
        return scratch;
    }

    ClientMemory memory() {
        return memory;
    }

    /// Counts bytes that a client has sent.
    @Override
    public void received(int bytes) {
        stats.add(NetworkEvent.READ, 1);
        stats.add(NetworkEvent.BYTES_IN, bytes);
        evictor.moved(bytes);
    }

    /// Counts bytes that were handed to the network.
    @Override
    public void sent(int bytes) {
        stats.add(NetworkEvent.WRITE, 1);
        stats.add(NetworkEvent.BYTES_OUT, bytes);
        evictor.moved(bytes);
    }

    /// Counts bytes that went from a front end to its connection or back.
    void translated(int bytes) {
        evictor.moved(bytes);
    }

    /// Whether the memory of the clients is about to be checked, before which nothing should be added.
    boolean memoryCheckIsDue() {
        return evictor.checkIsDue();
    }

    /// Whether no further request should be handled before the event loop has run its other tasks: a check of memory is
    /// due, or many messages wait to be encoded.
    boolean isInterrupted() {
        return evictor.checkIsDue() || memory.isFlooded();
    }

    /// The time of the last tick, in seconds.
    long seconds() {
        return seconds;
    }

    /// The time of the last tick, in nanoseconds.
    long nanos() {
        return nanos;
    }

    void add(LoopMember connection) {
        connections.add(connection);
        if (ending) {
            connection.closeAfterReplies();
        }
    }

    void remove(LoopMember connection) {
        connections.remove(connection);
        evictor.removed(connection);
        if (ending && connections.isEmpty()) {
            ended.trySuccess(null);
        }
    }

    /// Closes all connections, each when its replies have left. Any thread may call this.
    Future<Void> end() {
        new LoopTask(this::beginToEnd).on(loop);
        return ended;
    }

    private void beginToEnd() {
        ending = true;
        all().forEach(LoopMember::closeAfterReplies);
        if (connections.isEmpty()) {
            ended.trySuccess(null);
        }
    }

    /// Whether all connections are being closed.
    boolean isEnding() {
        return ending;
    }

    private void tick() {
        readClock();
        batch.tick();
        all().forEach(LoopMember::tick);
        evictor.check();
    }

    private void probe() {
        long now = clock.nanos();
        delays.add(now - probedAt - TimeUnit.MILLISECONDS.toNanos(PROBE_MILLIS));
        probedAt = now;
    }

    private void readClock() {
        nanos = clock.nanos();
        seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
    }

    /// A copy, since closing a connection removes it.
    private List<LoopMember> all() {
        return new ArrayList<>(connections);
    }
}
