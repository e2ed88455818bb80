package io.tallis.watch;

import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.WatchedCells;
import io.tallis.runtime.Clock;
import io.tallis.runtime.PeriodicThread;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/// Tells watchers of counters that changed, on any node, for whatever reason.
///
/// While there is a watcher, changes set marks in the keyspace ([WatchedCells]), and the thread `watch` makes rounds:
///
///     1  news    take the marks; cells of a topic become events, encoded once for all watchers of it
///     2  walks   present values for watchers that are new or missed something, some at a time
///     3  deliver one task for each event loop writes to its connections
///
/// A cell that changed several times between two rounds is told once, as it is then: so no counter is told more often
/// than ten times a second, and nothing is queued for it meanwhile.
///
/// What bounds the work: the next round begins when all deliveries are done, and not before [#SHARE] times what the
/// last one took, here or on the slowest event loop, has passed, at most two seconds. However much changes and however
/// many watchers there are, this takes a small part of each thread. Marks that a round has no room for are taken by the
/// next one.
///
/// What bounds memory: a round has room for some bytes of news and of present values; and to a connection that does not
/// take its bytes nothing is given. If that would have been news, it is told, once it takes bytes again, that it missed
/// some, and gets the present values again.
///
/// What a watcher sees: present values, `complete`, then changes. After `missed`, again: what is not told until
/// `complete` does not exist. A value is told when it is in memory, which may be before the journal has it.
///
/// [#watch] and [Watcher#close] may be called by any thread; everything else belongs to the thread.
public final class Watching implements AutoCloseable {
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /// A round takes at most a part of the time of a thread, and the next one does not come later than that: what took
    /// long may have been a pause of the whole process.
    private static final int SHARE = 32;

    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(2);

    /// A round stops taking news after so long.
    private static final long NEWS_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    /// The most bytes of news in a round, and of present values for one watcher.
    private static final int MOST_NEWS = 1 << 16;

    private static final int MOST_PRESENT = 1 << 16;

    private static final int SCANNED = 256;
    private static final long WALK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /// A task of an event loop writes to so many connections, and lets others go first.
    private static final int WRITES = 32;

    private final Clock clock;
    private final Keyspace keyspace;
    private final WatchedCells cells;
    private final Counters counters;
    private final Readings readings;
    private final Format format;
    private final PeriodicThread thread = new PeriodicThread("watch", this::nanosToRound, this::round);
    private final Queue<Runnable> requests = new ConcurrentLinkedQueue<>();

    private final Audiences audiences;
    private final List<Watcher> watchers = new ArrayList<>();
    private int firstWalk;
    private int room;
    private long next;

    private final AtomicInteger undelivered = new AtomicInteger();
    private final LongAccumulator loopNanos = new LongAccumulator(Math::max, 0);

    /// A connection that watches. Any thread may call but for `send`.
    public interface Subscriber {
        /// The event loop of the connection: equal for connections of the same one.
        Executor loop();

        /// Whether the connection takes bytes.
        boolean isWritable();

        /// Sends events that were encoded. Called on the event loop. The bytes must not be changed.
        void send(List<byte[]> events);
    }

    /// How events are encoded.
    public interface Format {
        void reading(Reading reading, ByteArrayOutputStream out);

        /// All present values were told.
        byte[] complete();

        /// Changes were not told: present values follow.
        byte[] missed();

        /// Says nothing.
        byte[] nothing();
    }

    /// `names` are the names of nodes by session; any thread may ask for them.
    public Watching(Keyspace keyspace, Function<ReplicaId, String> names, Format format, Clock clock) {
        this.keyspace = keyspace;
        this.format = format;
        this.clock = clock;
        cells = new WatchedCells(keyspace, Keyspace.Consumer.WATCHERS);
        counters = new Counters(keyspace, ChangeLog.NONE);
        readings = new Readings(keyspace.replicas(), names);
        audiences = new Audiences(readings);
        next = clock.nanos();
    }

    /// Starts the thread.
    public void start() {
        thread.start();
    }

    /// Begins to tell `subscriber` of the topic, until the watcher is closed.
    public Watcher watch(Topic topic, Subscriber subscriber) {
        Watcher watcher = new Watcher(this, topic, subscriber, clock.nanos());
        request(() -> add(watcher));
        return watcher;
    }

    void end(Watcher watcher) {
        request(() -> remove(watcher));
    }

    private void request(Runnable request) {
        requests.add(request);
        thread.wake();
    }

    private void add(Watcher watcher) {
        if (watchers.isEmpty()) {
            cells.watch(true);
        }
        watchers.add(watcher);
        audiences.add(watcher);
    }

    private void remove(Watcher watcher) {
        if (watchers.remove(watcher)) {
            audiences.remove(watcher);
            if (watchers.isEmpty()) {
                cells.watch(false);
            }
        }
    }

    private long nanosToRound() {
        return watchers.isEmpty() || undelivered.get() > 0 ? Long.MAX_VALUE : next - clock.nanos();
    }

    /// What the thread does when it is woken or the time for a round has come.
    public void round() {
        for (Runnable request = requests.poll(); request != null; request = requests.poll()) {
            request.run();
        }
        long now = clock.nanos();
        if (watchers.isEmpty() || undelivered.get() > 0 || now - next < 0) {
            return;
        }
        takeNews(now);
        walk(clock.nanos());
        long took = Math.max(clock.nanos() - now, loopNanos.getThenReset());
        next = now + Math.clamp(took * SHARE, LEAST_NANOS, MOST_NANOS);
        deliver(now);
    }

    private void takeNews(long begun) {
        room = MOST_NEWS;
        cells.show(
                () -> room > 0 && clock.nanos() - begun < NEWS_NANOS,
                (_, key, cell) -> room -= audiences.take(key, cell));
        audiences.tellNews(format);
    }

    // Present values

    /// Begins with another watcher each time, so that each gets its turn.
    private void walk(long begun) {
        BooleanSupplier hasTime = () -> clock.nanos() - begun < WALK_NANOS;
        int count = watchers.size();
        for (int i = 0; i < count && hasTime.getAsBoolean(); i++) {
            firstWalk = (firstWalk + 1) % count;
            walk(watchers.get(firstWalk), hasTime);
        }
    }

    private void walk(Watcher watcher, BooleanSupplier hasTime) {
        if (!watcher.mayWalk(format)) {
            return;
        }
        ByteArrayOutputStream present = new ByteArrayOutputStream();
        if (watcher.topic().isOfPrefix()) {
            do {
                walkPrefix(watcher, present);
            } while (!watcher.walk().isDone() && present.size() < MOST_PRESENT && hasTime.getAsBoolean());
        } else {
            walkNames(watcher, present);
        }
        watcher.takePresent(present.toByteArray(), format);
    }

    private void walkPrefix(Watcher watcher, ByteArrayOutputStream present) {
        Topic topic = watcher.topic();
        List<Reading> some = new ArrayList<>();
        watcher.walk()
                .step(from -> keyspace.scan(from, SCANNED, (type, key, cell) -> {
                    if (type == topic.type() && cell.exists() && topic.matches(key)) {
                        some.add(readings.of(key.toByteArray(), cell, topic.raw()));
                    }
                }));
        some.forEach(reading -> format.reading(reading, present));
    }

    private void walkNames(Watcher watcher, ByteArrayOutputStream present) {
        Topic topic = watcher.topic();
        watcher.walk().step(_ -> Walk.END);
        for (ByteBuffer each : topic.names()) {
            byte[] name = new byte[each.remaining()];
            each.get(each.position(), name);
            if (counters.read(topic.type(), Key.of(name))) {
                format.reading(readings.of(name, counters.cell(), topic.raw()), present);
            }
        }
    }

    // Delivery

    private void deliver(long now) {
        Map<Executor, List<Delivery>> byLoop = new HashMap<>();
        for (Watcher watcher : watchers) {
            List<byte[]> events = watcher.takeEvents(now, format);
            if (!events.isEmpty()) {
                byLoop.computeIfAbsent(watcher.subscriber().loop(), _ -> new ArrayList<>())
                        .add(new Delivery(watcher.subscriber(), events));
            }
        }
        undelivered.set(byLoop.size());
        byLoop.forEach((loop, deliveries) -> loop.execute(() -> send(loop, deliveries, 0)));
    }

    private record Delivery(Subscriber subscriber, List<byte[]> events) {}

    private void send(Executor loop, List<Delivery> deliveries, int from) {
        long begun = clock.nanos();
        int to = Math.min(deliveries.size(), from + WRITES);
        for (Delivery delivery : deliveries.subList(from, to)) {
            delivery.subscriber.send(delivery.events);
        }
        long took = clock.nanos() - begun;
        if (to < deliveries.size()) {
            loopNanos.accumulate(took * deliveries.size() / WRITES);
            loop.execute(() -> send(loop, deliveries, to));
        } else {
            loopNanos.accumulate(took);
            if (undelivered.decrementAndGet() == 0) {
                thread.wake();
            }
        }
    }

    /// Ends the thread.
    @Override
    public void close() {
        thread.close();
    }
}
