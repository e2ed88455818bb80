package io.tallis.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ExpositionTest {
    private final Exposition page = new Exposition();

    @Test
    void metric_hasHelpTypeAndSamples() {
        page.counter("calls_total", "Calls.")
                .add(3, "cmd", "incr", "node", "a")
                .add(1e15 + 0.5, "cmd", "x", "node", "b");
        page.flag("up", "Whether \"up\".", true);

        assertThat(page).hasToString("""
                # HELP calls_total Calls.
                # TYPE calls_total counter
                calls_total{cmd="incr",node="a"} 3
                calls_total{cmd="x",node="b"} 1000000000000000.5
                # HELP up Whether "up".
                # TYPE up gauge
                up 1
                """);
    }

    @Test
    void metric_withoutSamples_isNamed() {
        page.gauge("lag_seconds", "Lag.");

        assertThat(page).hasToString("# HELP lag_seconds Lag.\n# TYPE lag_seconds gauge\n");
    }

    /// The name of a node is any text.
    @Test
    void text_isEscaped() {
        page.gauge("a", "One\\two\nthree").add(0.25, "peer", "\"a\\b\nc");

        assertThat(page).hasToString("# HELP a One\\\\two\\nthree\n# TYPE a gauge\na{peer=\"\\\"a\\\\b\\nc\"} 0.25\n");
    }

    @Test
    void values_haveTheFormOfPrometheus() {
        page.gauge("a", "A.").add(-1).add(1e-4).add(1L << 53).add(Double.NaN).add(Double.POSITIVE_INFINITY);

        assertThat(page.toString().lines().skip(2))
                .containsExactly("a -1", "a 0.0001", "a 9007199254740992", "a NaN", "a Inf");
    }

    @Test
    void histogram_isCumulative() {
        DurationHistogram durations = new DurationHistogram();
        durations.add(200_000);
        durations.add(2_000_000);
        durations.add(100_000_000_000L);

        page.histogram("wait_seconds", "Waits.", durations);

        assertThat(page.toString())
                .startsWith("# HELP wait_seconds Waits.\n# TYPE wait_seconds histogram\n")
                .contains(
                        "wait_seconds_bucket{le=\"0.0001\"} 0\n",
                        "wait_seconds_bucket{le=\"0.00025\"} 1\n",
                        "wait_seconds_bucket{le=\"0.0025\"} 2\n",
                        "wait_seconds_bucket{le=\"60\"} 2\n",
                        "wait_seconds_bucket{le=\"+Inf\"} 3\n")
                .endsWith("wait_seconds_count 3\nwait_seconds_sum 100.0022\n");
    }

    @Test
    void histogram_ofACommand_hasBoundsInMicroseconds() {
        CommandStats stats = new CommandStats(1);
        stats.recorder().took(0, 3_000, 16);

        page.histogram("usec", "Durations.").addMicros(stats.histogram(0), 48, "cmd", "incr");

        assertThat(page.toString())
                .contains(
                        "usec_bucket{cmd=\"incr\",le=\"2\"} 0\n",
                        "usec_bucket{cmd=\"incr\",le=\"4\"} 16\n",
                        "usec_bucket{cmd=\"incr\",le=\"+Inf\"} 16\n")
                .endsWith("usec_count{cmd=\"incr\"} 16\nusec_sum{cmd=\"incr\"} 48\n");
    }
}
