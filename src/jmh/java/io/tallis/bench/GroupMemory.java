package io.tallis.bench;

import java.util.function.LongUnaryOperator;

/// What memory counters take that have a part of every member.
final class GroupMemory implements Measure {
    private static final Floor LIVE_FLOOR = Floor.valueAtMost(120);

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public void take(Lab lab, Results results) {
        int keys = lab.sizes().keys();
        Metric metric = new Metric("memory", "live, " + Keys.count(keys) + ", 3 writers", "B/key", LIVE_FLOOR);
        for (int round = 1; round <= lab.rounds(); round++) {
            for (ServerKind kind : lab.kinds()) {
                double bytes = sample(lab, kind, keys);
                results.add(metric, kind.side(), bytes);
                lab.say(
                        "memory, round %d, %s: %.0f bytes a key",
                        round, kind.side().title(), bytes);
            }
        }
    }

    private static double sample(Lab lab, ServerKind kind, int keys) {
        try (Group group = lab.startGroup(kind, Lab.Groups.SIZE)) {
            double empty = liveBytes(group);
            group.fill(keys);
            group.writers().stream()
                    .filter(writer -> writer != group.first())
                    .forEach(writer -> writer.change(keys, LongUnaryOperator.identity()));
            group.audit();
            return (liveBytes(group) - empty) / keys;
        }
    }

    /// Of a member, in the mean.
    private static double liveBytes(Group group) {
        return group.members().stream()
                .mapToLong(member -> member.kind().liveBytes(member.server()))
                .average()
                .orElseThrow();
    }
}
