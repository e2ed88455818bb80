package io.tallis.bench;

import java.util.Locale;

/// How long a node with data takes from its start to the first `PONG` and the first right answer.
final class Restart implements Measure {
    private static final Floor FLOOR = Floor.ratioAtMost(1.5);
    private static final int FLOOR_FROM_KEYS = 10_000_000;

    @Override
    public String name() {
        return "restart";
    }

    @Override
    public void take(Lab lab, Results results) {
        for (int keys : lab.sizes().fills()) {
            try (Lab.Subjects subjects = lab.startAll(Fsync.EVERYSEC)) {
                for (Subject subject : subjects.all()) {
                    subject.fill(keys);
                    subject.kind().prepareRestart(subject.server());
                }
                for (int round = 1; round <= lab.rounds(); round++) {
                    for (Subject subject : subjects.all()) {
                        double millis = take(subject, keys);
                        results.add(metric(keys), subject.side(), millis);
                        lab.say(
                                "restart, %,d keys, round %d, %s: %.0f ms",
                                keys, round, subject.side().title(), millis);
                    }
                }
                subjects.all().forEach(Subject::audit);
            }
        }
    }

    private static double take(Subject subject, int keys) {
        subject.restart();
        ServerUnderTest server = subject.server();
        String value = server.admin().call("GET", Keys.name(keys - 1L));
        double millis = server.millisSinceStart();
        if (!value.equals("1")) {
            throw new BenchException(subject.side().title() + " has " + value + " after a restart, not 1");
        }
        subject.requireKeys();
        server.awaitRest();
        return millis;
    }

    private static Metric metric(int keys) {
        String point = String.format(Locale.ROOT, "%,d keys, to ready", keys);
        return new Metric("restart", point, "ms", keys >= FLOOR_FROM_KEYS ? FLOOR : Floor.NONE);
    }
}
