package io.tallis.sim;

/// The quality of a network: percentages of frames that are lost, doubled, late or damaged, and the delay of the
/// others.
record Weather(int lossPercent, int doublePercent, int latePercent, int damagePercent, long delayNanos) {
    /// The weather when all trouble is over.
    static final Weather FAIR = new Weather(0, 0, 0, 0, 200_000);

    /// The longest delay of a late frame.
    static final long LATEST_NANOS = 300_000_000;

    private static final int MUCH_LOSS_PERCENT = 30;

    /// Whether so many frames are lost or damaged that everything takes long.
    boolean isBad() {
        return damagePercent > 1 || lossPercent >= MUCH_LOSS_PERCENT;
    }
}
