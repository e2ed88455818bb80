package io.tallis.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.command.CommandSettings;
import io.tallis.metrics.LatencyEvents;
import org.junit.jupiter.api.Test;

final class LatencyDoctorTest {
    private final LatencyEvents events = new LatencyEvents();

    @Test
    void withoutAThreshold_saysHowToSetOne() {
        assertThat(advice(0, 10_000))
                .isEqualTo(
                        "Latency is not monitored. CONFIG SET latency-monitor-threshold <milliseconds> starts it.\n");
    }

    @Test
    void withoutEvents_saysSo() {
        assertThat(advice(5, 10_000)).isEqualTo("No event took 5 ms or longer since monitoring started.\n");
    }

    @Test
    void events_areNumberedAndFollowedByAdvice() {
        events.add("command", 1_000_000, 10);
        events.add("command", 1_004_000, 20);
        events.add("command", 1_008_000, 30);
        events.add("fast-command", 1_000_000, 8);

        assertThat(advice(5, 5_000)).startsWith("""
                        Events that took 5 ms or longer:

                        1. command: 3 latency spikes (average 20ms, mean deviation 7ms, period 4.00 sec). \
                        Worst all time event 30ms.
                        2. fast-command: 1 latency spikes (average 8ms, mean deviation 0ms, period 0.00 sec). \
                        Worst all time event 8ms.

                        Advice:

                        - SLOWLOG GET shows which commands they were.
                        - command: a command whose duration depends""").endsWith(".\n");
    }

    @Test
    void slowLogWithAHigherThreshold_isMentioned() {
        events.add("command", 1_000_000, 10);

        assertThat(advice(5, 10_000))
                .contains("- Let the slow log record these commands: CONFIG SET slowlog-log-slower-than 5000.\n");
        assertThat(advice(5, -1)).contains("slowlog-log-slower-than 5000");
        assertThat(advice(5, 0)).doesNotContain("slowlog-log-slower-than");
    }

    private String advice(long thresholdMillis, long slowLogMicros) {
        var settings = new CommandSettings(
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                65_535,
                65_536,
                slowLogMicros,
                128,
                thresholdMillis,
                "no",
                "no");
        return new LatencyDoctor(events, settings).advice();
    }
}
