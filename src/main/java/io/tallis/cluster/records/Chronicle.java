package io.tallis.cluster.records;

import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteReader;
import io.tallis.wire.MalformedException;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/// The newest [#MOST_EVENTS] events of the cluster, this node's own and those that other nodes sent.
///
/// Each node sends only its own events: each when it happens, and the most recent ones to each peer that appears.
/// Belongs to the replicator's thread; any thread may call [#newest].
public final class Chronicle {
    /// The most events that are kept. Older ones, by the clock of their node, are dropped.
    public static final int MOST_EVENTS = 1000;

    /// The most own events that are sent to a peer that appears, and that wait for the next frame.
    static final int MOST_RECENT = 64;

    /// The time of an event is lowered to this much ahead of the own clock, or it would stay the newest for ever.
    private static final long MOST_AHEAD_MILLIS = 60_000;

    /// Receives this node's own events, for its log.
    @FunctionalInterface
    public interface Log {
        void happened(Level level, Event event);
    }

    /// The identity of an event.
    private record Key(ReplicaId session, long number) {
        static Key of(Event event) {
            return new Key(event.session(), event.number());
        }
    }

    private final Self self;
    private final String name;
    private final ReplicaId session;
    private final LongSupplier epochMillis;
    private final Log log;
    private final TreeSet<Event> events = new TreeSet<>();
    private final Map<Key, Event> byKey = new HashMap<>();
    private final Deque<Event> recent = new ArrayDeque<>();
    private long count;
    private long countSent;
    private boolean changed;
    private volatile List<Event> published = List.of();

    /// The chronicle of this session, whose own events are also written to `log`. `epochMillis` is the clock for them.
    public Chronicle(Self self, ReplicaId session, LongSupplier epochMillis, Log log) {
        this.self = self;
        this.session = session;
        this.epochMillis = epochMillis;
        this.log = log;
        name = Texts.clean(self.name(), NodeRecord.MOST_NAME_CHARS);
    }

    /// Records what happened to this node.
    public void record(String text) {
        record(Level.INFO, text);
    }

    /// Records what happened to this node and needs the attention of an operator.
    public void recordWarning(String text) {
        record(Level.WARNING, text);
    }

    /// Records what happened to this node; `level` is that of its line in the log.
    public void record(Level level, String text) {
        long millis = Math.max(0, epochMillis.getAsLong());
        Event event = new Event(millis, self.uuid(), name, session, ++count, Texts.clean(text, Event.MOST_CHARS));
        recent.add(event);
        if (recent.size() > MOST_RECENT) {
            recent.remove();
        }
        add(event);
        log.happened(level, event);
    }

    private void add(Event event) {
        Event before = byKey.get(Key.of(event));
        if (before != null && before.compareTo(event) >= 0) {
            return;
        }
        if (before != null) {
            events.remove(before);
        }
        events.add(event);
        byKey.put(Key.of(event), event);
        if (events.size() > MOST_EVENTS) {
            byKey.remove(Key.of(events.removeFirst()));
        }
        changed = true;
    }

    /// Whether there are own events that were not sent.
    public boolean hasUnsent() {
        return countSent < count;
    }

    /// The body of a frame with the own events that were not sent, at most the newest [#MOST_RECENT]. They count as
    /// sent.
    public byte[] takeUnsent() {
        long sent = countSent;
        countSent = count;
        return EventCodec.write(
                self.uuid(),
                name,
                recent.stream().filter(event -> event.number() > sent).toList());
    }

    /// The body of a frame for a peer that has appeared, with the newest [#MOST_RECENT] own events.
    public byte[] recent() {
        return EventCodec.write(self.uuid(), name, List.copyOf(recent));
    }

    /// Adds the events that `from` sent; none of them if any is malformed.
    public void onEvents(ReplicaId from, ByteReader body) throws MalformedException {
        long latest = Math.max(0, epochMillis.getAsLong()) + MOST_AHEAD_MILLIS;
        EventCodec.read(from, body).forEach(event -> add(event.notAfter(latest)));
    }

    /// Makes new events visible to other threads. To be called now and then.
    public void publish() {
        if (changed) {
            changed = false;
            published = List.copyOf(events);
        }
    }

    /// At most `most` of the newest events, as last published, in order of time.
    public List<Event> newest(int most) {
        List<Event> all = published;
        return new ArrayList<>(NodeRecord.newestOf(all, most));
    }
}
