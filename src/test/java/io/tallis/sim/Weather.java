package io.tallis.sim;

/// How bad a network is: percentages of frames that are lost, doubled, late or damaged, and how long the others take.
record Weather(int lossPercent, int doublePercent, int latePercent, int damagePercent, long delayNanos) {
    /// What is left when all is well.
    static final Weather FAIR = new Weather(0, 0, 0, 0, 200_000);

    /// The longest that a late frame takes.
    static final long LATEST_NANOS = 300_000_000;
}
