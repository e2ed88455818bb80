package io.tallis.server;

import io.tallis.metrics.Exposition;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/// The garbage collectors of the JVM.
final class GarbageCollectors {
    private static final double MILLIS_PER_SECOND = 1000;

    private volatile List<GarbageCollectorMXBean> collectors = List.of();

    /// Finds the collectors, for which the JVM loads many classes: not on an event loop.
    void find() {
        collectors = ManagementFactory.getGarbageCollectorMXBeans();
    }

    void addTo(Exposition page) {
        Exposition.Metric times =
                page.summary("jvm_gc_collection_seconds", "Pauses for garbage collection, by collector.");
        for (GarbageCollectorMXBean collector : collectors) {
            times.add(
                    collector.getCollectionCount(),
                    collector.getCollectionTime() / MILLIS_PER_SECOND,
                    "gc",
                    collector.getName());
        }
    }
}
