package io.tallis.resp;

import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.tallis.keyspace.Counters;
import io.tallis.metrics.NetworkEvent;
import io.tallis.metrics.NetworkStats;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// One event loop and what its connections share. Belongs to the event loop.
final class Worker {
    private static final long LARGE_BYTES = 1 << 16;

    private final SingleThreadEventLoop loop;
    private final Live<RespLimits> limits;
    private final Connections watcher;
    private final Clock clock;
    private final NetworkStats.Recorder stats;
    private final Turns turns;
    private final Counters counters;
    private final Lookahead lookahead;
    private final byte[] input = Input.sharedArray();
    private final ReplyScratch scratch = new ReplyScratch();
    private final LoopTask shedding = new LoopTask(this::shed);
    private final Set<RespConnection> connections = new LinkedHashSet<>();

    /// Those that took much at the last look, and how much: others need not wait for the next when one of them goes.
    private final Map<RespConnection, Long> large = new HashMap<>();

    private final Promise<Void> ended;
    private final Crowd crowd;
    private long bytesAtLook;
    private long movedSinceLook;
    private boolean lookIsDue;
    private boolean ending;
    private long nanos;
    private long seconds;

    Worker(SingleThreadEventLoop loop, Crowd crowd, Live<RespLimits> limits, RespServer.Ports ports) {
        this.loop = loop;
        this.crowd = crowd;
        this.limits = limits;
        watcher = ports.connections();
        clock = ports.clock();
        stats = ports.stats().recorder();
        turns = new Turns(loop, ports.turnLogs().get(), ports.afterTurn());
        counters = new Counters(
                ports.keyspace(), turns, ports.keyspace().ownChanges().newRing());
        lookahead = new Lookahead(counters, ports.handler());
        ended = loop.newPromise();
        look();
        new LoopTask(this::tick).everySecond(loop);
    }

    RespLimits limits() {
        return limits.now();
    }

    NetworkStats.Recorder stats() {
        return stats;
    }

    /// Counts what one of the connections has read.
    void received(int bytes) {
        stats.add(NetworkEvent.READ, 1);
        stats.add(NetworkEvent.BYTES_IN, bytes);
        moved(bytes);
    }

    /// Counts what one of the connections has handed to the network.
    void sent(int bytes) {
        stats.add(NetworkEvent.WRITE, 1);
        stats.add(NetworkEvent.BYTES_OUT, bytes);
        moved(bytes);
    }

    /// What clients take grows by little more than what goes to and fro, so it is looked at now and then: the shortest
    /// words take two or three times as much as on the wire.
    private void moved(int bytes) {
        movedSinceLook += bytes;
        if (crowd.mayHaveGrownBy(movedSinceLook)) {
            movedSinceLook = 0;
            lookIsDue = true;
            shedding.on(loop);
        }
    }

    /// Whether clients take so much that none may leave much waiting.
    boolean isCrowded() {
        return crowd.isHalfOfWhatItMayBe();
    }

    /// Whether what clients take is looked at before long.
    boolean lookIsDue() {
        return lookIsDue;
    }

    /// Whether something is to be done before any more requests are answered: to look at what clients take, or to
    /// encode what waits to be told them.
    boolean isInterrupted() {
        return lookIsDue || crowd.isFlooded();
    }

    Crowd crowd() {
        return crowd;
    }

    /// Closes those that take most, until the others may stay; but none that was exempted, or takes
    /// nothing.
    private void shed() {
        lookIsDue = false;
        large.clear();
        long bytes = 0;
        for (RespConnection connection : connections) {
            bytes += connection.bytes();
            if (connection.bytes() >= LARGE_BYTES) {
                large.put(connection, connection.bytes());
            }
        }
        count(bytes);
        if (crowd.isTooMuchWith(bytesAtLook)) {
            for (RespConnection largest : largestFirst()) {
                large.remove(largest);
                count(bytesAtLook - largest.bytes());
                largest.evict();
                if (!crowd.isTooMuchWith(bytesAtLook)) {
                    return;
                }
            }
        }
    }

    private List<RespConnection> largestFirst() {
        return connections.stream()
                .filter(connection -> connection.isEvictable() && connection.bytes() > 0)
                .sorted(Comparator.comparingLong(RespConnection::bytes).reversed())
                .toList();
    }

    private void count(long bytes) {
        crowd.counted(bytes - bytesAtLook);
        bytesAtLook = bytes;
    }

    Turns turns() {
        return turns;
    }

    Counters counters() {
        return counters;
    }

    Lookahead lookahead() {
        return lookahead;
    }

    byte[] input() {
        return input;
    }

    ReplyScratch scratch() {
        return scratch;
    }

    /// The time, as of the last tick.
    long seconds() {
        return seconds;
    }

    /// The same, as commands tell time.
    long nanos() {
        return nanos;
    }

    /// Who wants to know of clients that come and go.
    Connections watcher() {
        return watcher;
    }

    void add(RespConnection connection) {
        connections.add(connection);
        if (ending) {
            connection.closeAfterReplies();
        }
    }

    void remove(RespConnection connection) {
        connections.remove(connection);
        Long bytes = large.remove(connection);
        if (bytes != null) {
            count(bytesAtLook - bytes);
        }
        if (ending && connections.isEmpty()) {
            ended.trySuccess(null);
        }
    }

    /// Ends all connections, each when its replies have left. Any thread may call.
    Future<Void> end() {
        new LoopTask(this::beginToEnd).on(loop);
        return ended;
    }

    private void beginToEnd() {
        ending = true;
        all().forEach(RespConnection::closeAfterReplies);
        if (connections.isEmpty()) {
            ended.trySuccess(null);
        }
    }

    /// Whether all connections are being ended.
    boolean isEnding() {
        return ending;
    }

    private void tick() {
        look();
        lookahead.weigh();
        all().forEach(RespConnection::tick);
        shed();
    }

    private void look() {
        nanos = clock.nanos();
        seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
    }

    /// Closing a connection removes it.
    private List<RespConnection> all() {
        return new ArrayList<>(connections);
    }
}
