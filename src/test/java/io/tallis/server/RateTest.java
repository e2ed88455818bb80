package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RateTest {
    private static final long TENTH = 100_000_000;

    private final Rate rate = new Rate();

    @Test
    void rate_ofSteadyGrowth_isIt() {
        for (int i = 0; i < 50; i++) {
            rate.sample(i * 20L, i * TENTH);
        }

        assertThat(rate.perSecond()).isEqualTo(200);
    }

    @Test
    void rate_afterAPause_fallsToNothing() {
        rate.sample(0, 0);
        rate.sample(1000, TENTH);
        for (int i = 2; i < 20; i++) {
            rate.sample(1000, i * TENTH);
        }

        assertThat(rate.perSecond()).isZero();
    }

    @Test
    void rate_ofCountThatBeganAnew_isNotNegative() {
        rate.sample(1000, 0);
        rate.sample(0, TENTH);

        assertThat(rate.perSecond()).isZero();
    }

    @Test
    void rate_withoutSamples_isNothing() {
        assertThat(rate.perSecond()).isZero();
    }
}
