package io.tallis.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LatencyEventsTest {
    private final LatencyEvents events = new LatencyEvents();

    @Test
    void samplesOfOneSecond_keepTheLongest() {
        events.add("fsync", 1_000, 5);
        events.add("fsync", 1_900, 9);
        events.add("fsync", 1_950, 7);
        events.add("fsync", 2_000, 3);

        assertThat(events.history("fsync"))
                .containsExactly(new LatencyEvents.Sample(1, 9), new LatencyEvents.Sample(2, 3));
        assertThat(events.latest())
                .containsExactly(new LatencyEvents.Latest("fsync", new LatencyEvents.Sample(2, 3), 9));
    }

    @Test
    void samplesAndEvents_areBounded() {
        for (int second = 0; second < 1_000; second++) {
            events.add("fsync", second * 1_000L, 1);
            events.add("event" + second, 0, 1);
        }

        assertThat(events.history("fsync")).hasSize(LatencyEvents.MOST_SAMPLES);
        assertThat(events.latest()).hasSize(LatencyEvents.MOST_EVENTS);
    }

    @Test
    void reset_deletesSamples() {
        events.add("fsync", 0, 1);
        events.add("command", 0, 1);

        assertThat(events.reset("fsync")).isTrue();
        assertThat(events.reset("fsync")).isFalse();
        assertThat(events.resetAll()).isEqualTo(1);
        assertThat(events.history("command")).isEmpty();
    }
}
