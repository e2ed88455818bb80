package io.tallis.bench;

import java.util.Locale;

/// What memory counters take: of the machine, and of the heap once garbage is gone.
final class Memory implements Measure {
    private static final Floor LIVE_FLOOR = Floor.valueAtMost(60);
    private static final Floor RESIDENT_FLOOR = Floor.ratioAtMost(1.3);
    private static final int RESIDENT_FLOOR_FROM_KEYS = 10_000_000;

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public void take(Lab lab, Results results) {
        for (int keys : lab.sizes().fills()) {
            for (int round = 1; round <= lab.rounds(); round++) {
                for (ServerKind kind : lab.kinds()) {
                    double megabytes = take(lab, kind, keys, results);
                    lab.say(
                            "memory, %s, round %d, %s: %.0f MB",
                            title(keys), round, kind.side().title(), megabytes);
                }
            }
        }
    }

    /// Returns the resident megabytes.
    private static double take(Lab lab, ServerKind kind, int keys, Results results) {
        try (Subject subject = lab.start(kind, Fsync.EVERYSEC)) {
            ServerUnderTest server = subject.server();
            double empty = kind.liveBytes(server);
            subject.fill(keys);
            double megabytes = server.stat().residentBytes() / 1e6;
            results.add(resident(keys), kind.side(), megabytes);
            results.add(proportional(keys), kind.side(), server.stat().proportionalBytes() / 1e6);
            results.add(live(keys), kind.side(), (kind.liveBytes(server) - empty) / keys);
            server.stop();
            return megabytes;
        }
    }

    private static Metric resident(int keys) {
        Floor floor = keys >= RESIDENT_FLOOR_FROM_KEYS ? RESIDENT_FLOOR : Floor.NONE;
        return new Metric("memory", "resident, " + title(keys), "MB", floor);
    }

    private static Metric proportional(int keys) {
        return new Metric("memory", "Pss, " + title(keys), "MB");
    }

    private static Metric live(int keys) {
        return new Metric("memory", "live, " + title(keys), "B/key", LIVE_FLOOR);
    }

    private static String title(int keys) {
        return String.format(Locale.ROOT, "%,d keys", keys);
    }
}
