package io.tallis.command.notifications;

import io.tallis.command.ByteString;
import io.tallis.command.KeyEvent;
import io.tallis.command.KeyEvents;
import io.tallis.command.pubsub.PubSub;
import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.WatchedCells;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import io.tallis.runtime.PeriodicThread;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Publishes what becomes of keys, as far as `notify-keyspace-events` asks for it.
public final class Notifications implements AutoCloseable {
    /*
     * Where events come from
     * ----------------------
     *     a client's command    the command reports each event (Client.happened): it alone knows that an INCRBY was one
     *                           and that a SET set a deadline. Published by its event loop, when the request is done and
     *                           holds no lock, before its reply. None is left out: events of one key come in the order of
     *                           its changes as long as one event loop makes them.
     *     a deadline            the sweeper reports what it ends, and a command whose key had ended before it.
     *     another node          a merge marks the cell (Keyspace.Consumer.MERGES), and the thread `notify` publishes what
     *                           is marked, a hundred times a second: `merge` for a key that is there, `del` or `expired`
     *                           for one that is not. The command of the other node is not known here: only totals
     *                           arrive, and one may stand for several changes.
     *
     * Own changes are not marked, since several would become one event. Merges are not reported one by one, since a node
     * that joins merges ten million cells: so a merge costs a bit, and the time that the thread may take bounds what is
     * published of it.
     *
     * Off, an own change costs one test of the flags, a merge one test of a field in its partition, and the thread looks
     * at the flags when it is woken.
     *
     * Messages may be lost, as in Redis: a client gets what is published while it is subscribed, and one that does not
     * take its messages is disconnected. An event may be told before the journal has the change.
     */

    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// The thread rests so many times as long as a round took.
    private static final int RESTS_PER_WORK = 3;

    private static final int MOST_A_ROUND = 4096;

    private static final byte[] KEYSPACE = "__keyspace@0__:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] KEYEVENT = "__keyevent@0__:".getBytes(StandardCharsets.US_ASCII);

    private final Keyspace keyspace;
    private final PubSub pubSub;
    private final Live<Integer> flags;
    private final Clock clock;
    private final WatchedCells merged;
    private final PeriodicThread thread = new PeriodicThread("notify", this::restNanos, this::round);
    private volatile boolean watching;
    private long worked;

    /// `flags` are those of [KeyEvent#flags].
    public Notifications(Keyspace keyspace, PubSub pubSub, Live<Integer> flags, Clock clock) {
        this.keyspace = keyspace;
        this.pubSub = pubSub;
        this.flags = flags;
        this.clock = clock;
        merged = new WatchedCells(keyspace, Keyspace.Consumer.MERGES);
    }

    /// Starts the thread. Before that nothing is told of deadlines and other nodes.
    public void start() {
        thread.start();
    }

    /// What the commands of one event loop report to.
    public KeyEvents newEvents() {
        return new KeyEvents(flags);
    }

    /// Wakes the thread if the setting has changed. To be called ten times a second.
    public void tick() {
        if (watching != (flags.now() != 0)) {
            thread.wake();
        }
    }

    /// Publishes events in their order. The caller holds no lock.
    public void publish(List<KeyEvents.Entry> events) {
        events.forEach(entry -> publish(entry.event(), entry.key().bytes()));
    }

    private void publish(KeyEvent event, byte[] key) {
        int now = flags.now();
        if (!event.isIn(now)) {
            return;
        }
        byte[] name = event.redisName().getBytes(StandardCharsets.US_ASCII);
        if ((now & KeyEvent.TO_KEYSPACE) != 0) {
            pubSub.publish(joined(KEYSPACE, key), name);
        }
        if ((now & KeyEvent.TO_KEYEVENT) != 0) {
            pubSub.publish(joined(KEYEVENT, name), key);
        }
    }

    private static byte[] joined(byte[] prefix, byte[] rest) {
        ByteArrayOutputStream channel = new ByteArrayOutputStream(prefix.length + rest.length);
        channel.writeBytes(prefix);
        channel.writeBytes(rest);
        return channel.toByteArray();
    }

    private long restNanos() {
        return watching ? Math.max(ROUND_NANOS, RESTS_PER_WORK * worked) : Long.MAX_VALUE;
    }

    /// What the thread does.
    public void round() {
        long begun = clock.nanos();
        boolean wanted = flags.now() != 0;
        if (wanted != watching) {
            merged.watch(wanted);
            keyspace.expiry().tellEndsTo(wanted ? key -> publish(KeyEvent.EXPIRED, key) : null);
            watching = wanted;
        }
        if (wanted) {
            publish(takeMerged());
        }
        worked = clock.nanos() - begun;
    }

    private List<KeyEvents.Entry> takeMerged() {
        List<KeyEvents.Entry> events = new ArrayList<>();
        long now = keyspace.expiry().now();
        merged.show(
                () -> events.size() < MOST_A_ROUND,
                (type, key, cell) ->
                        events.add(new KeyEvents.Entry(eventOf(type, cell, now), new ByteString(key.name(type)))));
        return events;
    }

    /// Of a cell that was merged. It is marked only if readers saw it before, or do now.
    private static KeyEvent eventOf(CounterType type, Cell cell, long now) {
        // The end of a field is not that of its hash.
        if (cell.exists() || !type.isKey()) {
            return KeyEvent.MERGE;
        }
        return cell.life().isOver(now) ? KeyEvent.EXPIRED : KeyEvent.DEL;
    }

    /// Ends the thread.
    @Override
    public void close() {
        thread.close();
    }
}
