package io.tallis.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.Property;
import org.junit.jupiter.api.Test;

final class LatencyHistogramTest {
    @Test
    void buckets_holdDurationsToAnEighth() {
        Property.forAll(gen -> {
            long nanos = gen.between(256L, 60_000_000_000L);
            long upper = LatencyHistogram.upperNanos(LatencyHistogram.bucketOf(nanos));

            assertThat(upper).isBetween(nanos, nanos + nanos / 8);
        });
    }

    @Test
    void extremes_goToTheFirstAndTheLastBucket() {
        assertThat(LatencyHistogram.bucketOf(-1)).isZero();
        assertThat(LatencyHistogram.bucketOf(0)).isZero();
        assertThat(LatencyHistogram.bucketOf(Long.MAX_VALUE)).isEqualTo(LatencyHistogram.BUCKETS - 1);
    }

    @Test
    void percentiles_areUpperEdges() {
        CommandStats stats = new CommandStats(1);
        CommandStats.Recorder recorder = stats.recorder();
        for (int i = 0; i < 99; i++) {
            recorder.took(0, 1_000, 1);
        }
        recorder.took(0, 1_000_000, 1);

        LatencyHistogram histogram = stats.histogram(0);
        assertThat(histogram.percentileNanos(50)).isBetween(1_000L, 1_125L);
        assertThat(histogram.percentileNanos(99)).isBetween(1_000L, 1_125L);
        assertThat(histogram.percentileNanos(99.9)).isBetween(1_000_000L, 1_125_000L);
        assertThat(histogram.atMost(2_000)).isEqualTo(99);
        assertThat(histogram.atMost(Long.MAX_VALUE)).isEqualTo(100);
    }

    @Test
    void counts_scaledToAllCalls_endAtTheirNumber() {
        CommandStats stats = new CommandStats(1);
        CommandStats.Recorder recorder = stats.recorder();
        recorder.took(0, 1_000, 1);
        recorder.took(0, 1_000, 1);
        recorder.took(0, 1_000_000, 1);

        LatencyHistogram histogram = stats.histogram(0);
        assertThat(histogram.atMost(2_000, 600_001)).isEqualTo(400_001);
        assertThat(histogram.atMost(Long.MAX_VALUE, 600_001)).isEqualTo(600_001);
        assertThat(new CommandStats(1).histogram(0).atMost(2_000, 7)).isZero();
    }

    @Test
    void emptyHistogram_isZero() {
        assertThat(new CommandStats(1).histogram(0).percentileNanos(99)).isZero();
    }
}
