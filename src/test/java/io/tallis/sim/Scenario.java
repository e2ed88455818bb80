package io.tallis.sim;

import io.tallis.testing.Gen;
import java.util.EnumSet;
import java.util.Set;

/// What a seed stands for: how large the cluster is, what clients do, and which kinds of trouble there are.
///
/// A seed has some kinds of trouble and not others, so that rare combinations get their time. Trouble begins when
/// `servingBefore` nodes serve.
record Scenario(
        int machines,
        int servingBefore,
        int keys,
        long clientNanos,
        long troubleNanos,
        long activeNanos,
        Weather weather,
        long rotationBytesPerSecond,
        long bulkBytesPerSecond,
        Versions versions,
        Set<Trouble> troubles) {
    /// How many machines may be added as copies of others.
    static final int MOST_CLONES = 2;

    private static final long MILLISECOND = 1_000_000;

    /// Which versions of the protocol the nodes speak.
    enum Versions {
        OLD,
        MIXED,
        NEW
    }

    static Scenario draw(Gen gen) {
        Set<Trouble> troubles = troubles(gen);
        int machines = gen.chance(90) ? gen.between(3, 4) : gen.between(5, 9);
        return new Scenario(
                machines,
                gen.pick(0, 1, machines, machines),
                gen.pick(1, 5, 40, 1_000),
                gen.pick(10, 40, 150) * MILLISECOND,
                gen.pick(30, 100, 400) * MILLISECOND,
                gen.between(300, 2_000) * MILLISECOND,
                weather(gen),
                gen.chance(80) ? 0 : gen.pick(2_000, 20_000, 100_000),
                gen.pick(200_000, 20_000_000, 20_000_000),
                gen.pick(Versions.values()),
                troubles);
    }

    /// The same with other kinds of trouble.
    Scenario with(Set<Trouble> others) {
        return new Scenario(
                machines,
                servingBefore,
                keys,
                clientNanos,
                troubleNanos,
                activeNanos,
                weather,
                rotationBytesPerSecond,
                bulkBytesPerSecond,
                versions,
                others);
    }

    /// The same with clients that make a turn no more often.
    Scenario withClientsAtMostEvery(long nanos) {
        return new Scenario(
                machines,
                servingBefore,
                keys,
                Math.max(clientNanos, nanos),
                troubleNanos,
                activeNanos,
                weather,
                rotationBytesPerSecond,
                bulkBytesPerSecond,
                versions,
                troubles);
    }

    /// Starts lead to comparisons of all that nodes have, and those mend what other ways leave undone: a third of the
    /// seeds does without.
    private static Set<Trouble> troubles(Gen gen) {
        Set<Trouble> troubles = EnumSet.noneOf(Trouble.class);
        int percent = gen.pick(5, 20, 50);
        boolean starts = gen.chance(66);
        for (Trouble trouble : Trouble.values()) {
            if (gen.chance(percent) && (starts || !trouble.startsSessions())) {
                troubles.add(trouble);
            }
        }
        if (gen.chance(30)) {
            troubles.add(Trouble.BURST);
        }
        return troubles;
    }

    /// Three nodes to which nothing happens but what a test does.
    static Scenario calm(long rotationBytesPerSecond, long bulkBytesPerSecond) {
        return new Scenario(
                3,
                0,
                40,
                10 * MILLISECOND,
                Long.MAX_VALUE / 4,
                0,
                Weather.FAIR,
                rotationBytesPerSecond,
                bulkBytesPerSecond,
                Versions.OLD,
                Set.of());
    }

    private static Weather weather(Gen gen) {
        return new Weather(
                gen.pick(0, 1, 5, 30),
                gen.pick(0, 0, 1, 10),
                gen.pick(0, 1, 5, 20),
                gen.pick(0, 0, 0, 1, 5),
                gen.pick(50_000, 200_000, 2_000_000, 20_000_000));
    }
}
