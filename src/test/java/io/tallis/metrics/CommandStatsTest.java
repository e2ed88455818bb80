package io.tallis.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CommandStatsTest {
    private final CommandStats stats = new CommandStats(3);
    private final CommandStats.Recorder one = stats.recorder();
    private final CommandStats.Recorder other = stats.recorder();

    @Test
    void totals_areSumsOverThreads() {
        one.called(1);
        other.called(1);
        other.rejected(1);
        one.failed(1);

        assertThat(stats.of(1)).isEqualTo(new CommandStats.Totals(2, 0, 0, 1, 1));
        assertThat(stats.of(0).calls()).isZero();
        assertThat(stats.calls()).isEqualTo(2);
    }

    @Test
    void time_neverFalls() {
        for (int i = 0; i < 31; i++) {
            one.called(2);
        }
        one.took(2, 1_000_000, 16);
        long before = stats.of(2).nanos();
        one.called(2);
        one.took(2, 1_000, 16);

        assertThat(before).isEqualTo(16_000_000);
        assertThat(stats.of(2).nanos()).isEqualTo(16_016_000);
        assertThat(stats.of(2).nanosPerCall()).isEqualTo(500_500);
    }

    @Test
    void timedCall_countsByItsWeight() {
        for (int i = 0; i < 20; i++) {
            one.called(1);
        }
        for (int i = 0; i < 4; i++) {
            one.took(1, 10_000, 1);
        }
        one.took(1, 1_000, 16);

        assertThat(stats.of(1).nanos()).isEqualTo(4 * 10_000 + 16 * 1_000);
        assertThat(stats.histogram(1).atMost(2_000)).isEqualTo(16);
    }

    @Test
    void lookups_areSumsOverThreads() {
        one.lookedUp(true);
        other.lookedUp(true);
        other.lookedUp(false);

        assertThat(stats.hits()).isEqualTo(2);
        assertThat(stats.misses()).isEqualTo(1);
        assertThat(stats.calls()).isZero();
    }

    @Test
    void reset_startsAllFromZero() {
        one.lookedUp(true);
        one.called(0);
        one.took(0, 5_000, 1);
        stats.error("ERR no");

        stats.reset();
        other.called(0);

        assertThat(stats.of(0)).isEqualTo(new CommandStats.Totals(1, 0, 0, 0, 0));
        assertThat(stats.histogram(0).total()).isZero();
        assertThat(stats.hits()).isZero();
        assertThat(stats.errorTotal()).isZero();
        assertThat(stats.errors()).isEmpty();
    }

    @Test
    void figures_duringReset_areNotNegative() throws InterruptedException {
        Thread resetting = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 20_000; i++) {
                one.called(1);
                one.took(1, 1_000, 1);
                one.lookedUp(true);
                stats.reset();
            }
        });

        while (resetting.isAlive()) {
            assertThat(stats.of(1).calls()).isNotNegative();
            assertThat(stats.histogram(1).total()).isNotNegative();
            assertThat(stats.hits()).isNotNegative();
        }
        resetting.join();
    }

    @Test
    void errorNames_areBounded() {
        for (int i = 0; i < 1_000; i++) {
            stats.error("E" + i + " text");
        }

        assertThat(stats.errors()).hasSize(128);
        assertThat(stats.errorTotal()).isEqualTo(1_000);
    }
}
