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

/// What happened in the cluster: the newest [#MOST_EVENTS] events that this node met or was told of.
///
/// Each node tells its own events only, when they happen and some of them again to whoever appears, so that the
/// order in which they arrive does not matter. Belongs to the replicator's thread; only [#newest] is for all.
public final class Chronicle {
    /// So many events are kept; older ones, by the clocks of those who told them, are forgotten.
    public static final int MOST_EVENTS = 1000;

    /// So many own events are told again to whoever appears, and wait at most for the next frame.
    static final int MOST_TOLD = 64;

    /// An event of a node whose clock is further ahead is taken to be of then: it would stay the newest for ever.
    private static final long MOST_AHEAD_MILLIS = 60_000;

    /// Hears what happens to this node, for its log.
    @FunctionalInterface
    public interface Log {
        void happened(Level level, Event event);
    }

    /// What says which event it is.
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
    private final Deque<Event> told = new ArrayDeque<>();
    private long count;
    private long countSent;
    private boolean changed;
    private volatile List<Event> published = List.of();

    /// The chronicle of this session, which tells its own events to `log`. `epochMillis` dates them.
    public Chronicle(Self self, ReplicaId session, LongSupplier epochMillis, Log log) {
        this.self = self;
        this.session = session;
        this.epochMillis = epochMillis;
        this.log = log;
        name = Texts.clean(self.name(), NodeRecord.MOST_NAME_CHARS);
    }

    /// Takes down what happened to this node.
    public void tell(String text) {
        tell(Level.INFO, text);
    }

    /// The same, of what its operators should look after.
    public void warn(String text) {
        tell(Level.WARNING, text);
    }

    private void tell(Level level, String text) {
        long millis = Math.max(0, epochMillis.getAsLong());
        Event event = new Event(millis, self.uuid(), name, session, ++count, Texts.clean(text, Event.MOST_CHARS));
        told.add(event);
        if (told.size() > MOST_TOLD) {
            told.remove();
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

    /// Whether something happened to this node that the others have not been told.
    public boolean hasNews() {
        return countSent < count;
    }

    /// The body of a frame with what the others have not been told, the newest [#MOST_TOLD] of it at most.
    public byte[] news() {
        long sent = countSent;
        countSent = count;
        return EventCodec.write(
                self.uuid(),
                name,
                told.stream().filter(event -> event.number() > sent).toList());
    }

    /// The body of a frame for somebody who appeared, with the newest [#MOST_TOLD] events of this node.
    public byte[] again() {
        return EventCodec.write(self.uuid(), name, List.copyOf(told));
    }

    /// Takes in what `from` told of itself; nothing of it when it is malformed.
    public void onEvents(ReplicaId from, ByteReader body) throws MalformedException {
        long latest = Math.max(0, epochMillis.getAsLong()) + MOST_AHEAD_MILLIS;
        EventCodec.read(from, body).forEach(event -> add(event.notAfter(latest)));
    }

    /// Shows what is new to other threads. To be called now and then.
    public void publish() {
        if (changed) {
            changed = false;
            published = List.copyOf(events);
        }
    }

    /// The newest events as they were last shown, `most` at most, in order of time.
    public List<Event> newest(int most) {
        List<Event> all = published;
        return new ArrayList<>(NodeRecord.newestOf(all, most));
    }
}
