package io.tallis.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class DurationHistogramTest {
    private final DurationHistogram durations = new DurationHistogram();

    @Test
    void duration_countsInTheFirstBucketThatHoldsIt() {
        durations.add(100_000);
        durations.add(100_001);
        durations.add(250_000);
        durations.add(60_000_000_000L);

        assertThat(durations.count(0)).isEqualTo(1);
        assertThat(durations.count(1)).isEqualTo(2);
        assertThat(durations.count(durations.buckets() - 1)).isEqualTo(1);
        assertThat(DurationHistogram.boundSeconds(0)).isEqualTo(0.0001);
        assertThat(durations.total()).isEqualTo(4);
        assertThat(durations.seconds()).isEqualTo(60.000450001);
    }

    @Test
    void duration_aboveAllBounds_countsInTheTotal() {
        durations.add(Long.MAX_VALUE / 2);

        assertThat(durations.count(durations.buckets())).isEqualTo(1);
        assertThat(durations.total()).isEqualTo(1);
    }

    /// The clock of a test or a machine may go back.
    @Test
    void duration_belowZero_isNone() {
        durations.add(-5);

        assertThat(durations.count(0)).isEqualTo(1);
        assertThat(durations.seconds()).isZero();
    }
}
