package io.tallis.command.tracking;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.command.ByteString;
import io.tallis.command.Client;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.WatchedCells;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import io.tallis.runtime.PeriodicThread;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// Which client has read which key, and the messages that a key has changed.
public final class Tracking implements AutoCloseable {
    /*
     * Why no client keeps an old value
     * --------------------------------
     *     reader   remember(key) ── read ── reply to the client
     *     writer                     change ── invalidate(key): forget(key), message to those who were remembered
     *
     * A client is remembered before it reads, a message is sent after the change. So of a change after the read there is
     * a message, unless an earlier one has taken the client out of the table: that one was sent after the client had been
     * remembered. Its event loop encodes messages when it has encoded the reply of the request that it is in, so either
     * message comes behind the reply of the read. A message for nothing costs a second read.
     *
     * That order holds on one connection. With REDIRECT the message may overtake the reply, as in Redis: libraries note
     * the key before they ask.
     *
     * Which changes
     * -------------
     * Event loops note the keys that they change (Counters.onChange) and tell them when the request is done and holds no
     * lock; only they know by whom a key was changed (NOLOOP). What other threads change (merges, ends of deadlines) is
     * marked for Keyspace.Consumer.CACHES, and the thread `tracking` tells it a hundred times a second. FLUSHALL tells all
     * clients to forget everything, when it is done.
     *
     * Switching
     * ---------
     * While no client wants it, a change costs one test of a field in its partition. Partitions are told by the thread,
     * which takes their locks; the first client gets its OK when all of them know.
     *
     * Bounds
     * ------
     * The table has at most `tracking-table-max-keys` entries, where a key counts once for each client that has read it,
     * and once more for each KEY_BYTES of its name. One more pushes another key out, whose readers are told to forget it.
     * Messages count against the output limits of their clients.
     */

    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int RESTS_PER_WORK = 3;
    private static final int MOST_A_ROUND = 4096;
    private static final int KEY_BYTES = 64;

    private final LongFunction<@Nullable Client> clients;
    private final Live<Long> mostEntries;
    private final Clock clock;
    private final WatchedCells cells;
    private final PeriodicThread thread = new PeriodicThread("tracking", this::restNanos, this::round);
    private final ConcurrentMap<Long, TrackedClient> tracked = new ConcurrentHashMap<>();
    private final ConcurrentMap<ByteString, Readers> table = new ConcurrentHashMap<>();
    private final AtomicLong entries = new AtomicLong();
    private final ConcurrentMap<ByteString, Set<TrackedClient>> prefixes = new ConcurrentHashMap<>();

    @GuardedBy("this")
    private List<Runnable> waiting = new ArrayList<>();

    @GuardedBy("this")
    private Iterator<ByteString> oldest = Collections.emptyIterator();

    private volatile boolean on;
    private volatile long worked;

    /// `clients` finds clients by their ids.
    public Tracking(Keyspace keyspace, LongFunction<@Nullable Client> clients, Live<Long> mostEntries, Clock clock) {
        this.clients = clients;
        this.mostEntries = mostEntries;
        this.clock = clock;
        cells = new WatchedCells(keyspace, Keyspace.Consumer.CACHES);
    }

    /// Starts the thread.
    public void start() {
        thread.start();
    }

    @Nullable
    Client find(long id) {
        return clients.apply(id);
    }

    // Clients

    /// Begins to track a client, or goes on with other options. Returns whether that holds already; if not, `whenOn` is
    /// called when it does, on the thread.
    boolean begin(TrackedClient client, Runnable whenOn) {
        TrackedClient before = of(client.client());
        for (ByteString prefix : client.options().prefixes()) {
            prefixes.compute(prefix, (_, known) -> {
                Set<TrackedClient> set = known == null ? ConcurrentHashMap.newKeySet() : known;
                set.add(client);
                return set;
            });
        }
        boolean isOn = begins(client, whenOn);
        forgetPrefixes(before);
        thread.wake();
        return isOn;
    }

    private synchronized boolean begins(TrackedClient client, Runnable whenOn) {
        tracked.put(client.client().id(), client);
        client.client().tracker(client);
        if (!on) {
            waiting.add(whenOn);
        }
        return on;
    }

    /// The client tracks nothing any more, or has left. What it has read is forgotten when it changes.
    public void end(Client client) {
        forgetPrefixes(of(client));
        tracked.remove(client.id());
        client.tracker(null);
        if (tracked.isEmpty()) {
            thread.wake();
        }
    }

    private void forgetPrefixes(@Nullable TrackedClient client) {
        if (client != null) {
            for (ByteString prefix : client.options().prefixes()) {
                prefixes.computeIfPresent(prefix, (_, set) -> {
                    set.remove(client);
                    return set.isEmpty() ? null : set;
                });
            }
        }
    }

    @Nullable
    TrackedClient of(Client client) {
        return tracked.get(client.id());
    }

    // What was read

    /// A client is about to read a key.
    void remember(ByteString key, long client) {
        table.compute(key, (_, known) -> {
            Readers readers = known == null ? new Readers() : known;
            long before = known == null ? 0 : entriesOf(key, readers);
            if (readers.add(client)) {
                entries.addAndGet(entriesOf(key, readers) - before);
            }
            return readers;
        });
        while (entries.get() > mostEntries.now() && evict()) {
            // Until there is room.
        }
    }

    private static long entriesOf(ByteString key, Readers readers) {
        return readers.count() + (long) (key.bytes().length / KEY_BYTES);
    }

    /// Forgets some key. Returns whether there was one.
    private boolean evict() {
        ByteString key = nextToEvict();
        if (key != null) {
            invalidate(List.of(key), null);
        }
        return key != null;
    }

    private synchronized @Nullable ByteString nextToEvict() {
        if (!oldest.hasNext()) {
            oldest = table.keySet().iterator();
        }
        return oldest.hasNext() ? oldest.next() : null;
    }

    // What has changed

    /// Keys have changed, perhaps by a request of a client: tells those that have read them. Any thread may call.
    public void invalidate(List<ByteString> keys, @Nullable Client by) {
        Map<TrackedClient, List<byte[]>> told = new HashMap<>();
        for (ByteString key : keys) {
            Readers readers = table.remove(key);
            if (readers != null) {
                entries.addAndGet(-entriesOf(key, readers));
                for (int i = 0; i < readers.count(); i++) {
                    add(tracked.get(readers.id(i)), key, by, told);
                }
            }
            prefixes.forEach((prefix, subscribed) -> {
                if (TrackingOptions.begins(key.bytes(), prefix.bytes())) {
                    subscribed.forEach(client -> add(client, key, by, told));
                }
            });
        }
        told.forEach(TrackedClient::invalidate);
    }

    private static void add(
            @Nullable TrackedClient client,
            ByteString key,
            @Nullable Client by,
            Map<TrackedClient, List<byte[]>> told) {
        boolean isOwn = client != null && client.options().skipsOwn() && client.client() == by;
        if (client != null && !isOwn) {
            told.computeIfAbsent(client, _ -> new ArrayList<>()).add(key.bytes());
        }
    }

    /// All keys were deleted: tells every client to forget all. Lettuce fails on that message, which has no keys, so
    /// those that were read are told one by one before it.
    public void flushed() {
        table.keySet().forEach(key -> invalidate(List.of(key), null));
        tracked.values().forEach(client -> client.invalidate(null));
    }

    // The thread

    private long restNanos() {
        return on ? Math.max(ROUND_NANOS, RESTS_PER_WORK * worked) : Long.MAX_VALUE;
    }

    /// What the thread does.
    public void round() {
        long begun = clock.nanos();
        turnOnOrOff();
        if (on) {
            List<ByteString> changed = new ArrayList<>();
            cells.show(
                    () -> changed.size() < MOST_A_ROUND, (type, key, _) -> changed.add(new ByteString(key.name(type))));
            invalidate(changed, null);
        }
        worked = clock.nanos() - begun;
    }

    private void turnOnOrOff() {
        if (turnsOff()) {
            cells.watch(false);
        }
        if (!on && !tracked.isEmpty()) {
            cells.watch(true);
            turnedOn().forEach(Runnable::run);
        }
    }

    /// Under the lock under which clients begin: one that begins later waits until partitions are told again.
    private synchronized boolean turnsOff() {
        boolean off = on && tracked.isEmpty();
        if (off) {
            on = false;
        }
        return off;
    }

    private synchronized List<Runnable> turnedOn() {
        List<Runnable> all = waiting;
        waiting = new ArrayList<>();
        on = true;
        return all;
    }

    // For INFO

    public int trackedClients() {
        return tracked.size();
    }

    public int keys() {
        return table.size();
    }

    public long entries() {
        return entries.get();
    }

    public int prefixes() {
        return prefixes.size();
    }

    /// Ends the thread.
    @Override
    public void close() {
        thread.close();
    }
}
