package io.tallis.cluster.records;

import io.tallis.crdt.ReplicaId;
import java.util.Comparator;
import java.util.UUID;

/// Something that happened in the cluster, told to people by the node that met it.
///
/// `session` and `number`, which counts that session's events from 1, say which event it is. `epochMillis` is the
/// time by that node's clock. The order is that of time as the clocks had it.
public record Event(long epochMillis, UUID node, String name, ReplicaId session, long number, String text)
        implements Comparable<Event> {
    /// Longer texts are cut.
    public static final int MOST_CHARS = 200;

    private static final Comparator<Event> ORDER = Comparator.comparingLong(Event::epochMillis)
            .thenComparing(event -> event.node().toString())
            .thenComparing(Event::session)
            .thenComparingLong(Event::number)
            .thenComparing(Event::name)
            .thenComparing(Event::text);

    /// The same, as of that time at the latest.
    Event notAfter(long latestMillis) {
        return epochMillis <= latestMillis ? this : new Event(latestMillis, node, name, session, number, text);
    }

    @Override
    public int compareTo(Event other) {
        return ORDER.compare(this, other);
    }
}
