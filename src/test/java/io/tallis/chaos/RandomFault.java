package io.tallis.chaos;

import java.util.List;
import java.util.SplittableRandom;

/// The random choices of one fault. All are drawn at once, so that those of the next fault do not depend on which fault
/// was possible.
record RandomFault(Kind kind, int node, int other, long pauseMillis, long lastsMillis, boolean coin) {
    private static final int LEAST_PAUSE_MILLIS = 100;
    private static final int MOST_PAUSE_MILLIS = 1500;
    private static final int LEAST_LASTS_MILLIS = 100;
    private static final int MOST_LASTS_MILLIS = 6000;
    private static final int ONE_LONG_IN = 8;
    private static final int TIMES_LONGER = 4;

    enum Kind {
        KILL,
        STOP,
        FREEZE,
        CUT_ONE_WAY,
        CUT_BOTH_WAYS,
        CUT_OFF,
        SET_CLOCK,
        QUIET_PHASE,
        PURGE_PHASE
    }

    private static final List<Kind> FREQUENCIES = List.of(
            Kind.KILL,
            Kind.KILL,
            Kind.KILL,
            Kind.STOP,
            Kind.STOP,
            Kind.FREEZE,
            Kind.FREEZE,
            Kind.FREEZE,
            Kind.CUT_ONE_WAY,
            Kind.CUT_ONE_WAY,
            Kind.CUT_ONE_WAY,
            Kind.CUT_BOTH_WAYS,
            Kind.CUT_BOTH_WAYS,
            Kind.CUT_OFF,
            Kind.CUT_OFF,
            Kind.SET_CLOCK,
            Kind.SET_CLOCK,
            Kind.QUIET_PHASE,
            Kind.QUIET_PHASE,
            Kind.PURGE_PHASE,
            Kind.PURGE_PHASE);

    static RandomFault of(SplittableRandom random, int nodes) {
        int node = random.nextInt(nodes);
        return new RandomFault(
                FREQUENCIES.get(random.nextInt(FREQUENCIES.size())),
                node,
                (node + 1 + random.nextInt(nodes - 1)) % nodes,
                random.nextLong(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS),
                lasts(random),
                random.nextBoolean());
    }

    private static long lasts(SplittableRandom random) {
        long millis = random.nextLong(LEAST_LASTS_MILLIS, MOST_LASTS_MILLIS);
        return random.nextInt(ONE_LONG_IN) == 0 ? TIMES_LONGER * millis : millis;
    }
}
