package io.tallis.bench;

/// How long an empty node takes from its start to the first `PONG`.
final class EmptyStart implements Measure {
    private static final Metric START = new Metric("start", "empty, to first PONG", "ms", Floor.valueAtMost(1_000));

    @Override
    public String name() {
        return START.measure();
    }

    /// The very first start of each is not recorded: this JVM still has its own classes to load.
    @Override
    public void take(Lab lab, Results results) {
        lab.kinds().forEach(kind -> take(lab, kind));
        for (int round = 1; round <= lab.rounds(); round++) {
            for (ServerKind kind : lab.kinds()) {
                double millis = take(lab, kind);
                results.add(START, kind.side(), millis);
                lab.say("start, round %d, %s: %.0f ms", round, kind.side().title(), millis);
            }
        }
    }

    private static double take(Lab lab, ServerKind kind) {
        try (Subject subject = lab.start(kind, Fsync.EVERYSEC)) {
            subject.server().stop();
            return subject.server().millisToReady();
        }
    }
}
