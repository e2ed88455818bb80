package io.tallis.cluster.records;

import io.tallis.crdt.ReplicaId;
import java.util.Comparator;
import java.util.UUID;

/// Something that happened in the cluster, as a sentence for operators. Its subject is the node `name`, which is left
/// out: "no longer reaches north".
///
/// `session` and `number`, which counts that session's events from 1, identify it. `epochMillis` is the time by that
/// node's clock, and decides the order.
public record Event(long epochMillis, UUID node, String name, ReplicaId session, long number, String text)
        implements Comparable<Event> {
    /// Longer texts are cut. None of ours is as long, with names as long as nodes may have.
    static final int MOST_CHARS = 800;

    private static final Comparator<Event> ORDER = Comparator.comparingLong(Event::epochMillis)
            .thenComparing(event -> event.node().toString())
            .thenComparing(Event::session)
            .thenComparingLong(Event::number)
            .thenComparing(Event::name)
            .thenComparing(Event::text);

    /// Records what happens to this node.
    @FunctionalInterface
    public interface Sink {
        void record(String text);
    }

    /// This event with its time lowered to at most `latestMillis`.
    Event notAfter(long latestMillis) {
        return epochMillis <= latestMillis ? this : new Event(latestMillis, node, name, session, number, text);
    }

    @Override
    public int compareTo(Event other) {
        return ORDER.compare(this, other);
    }
}
