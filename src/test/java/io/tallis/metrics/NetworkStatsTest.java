package io.tallis.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class NetworkStatsTest {
    private final NetworkStats stats = new NetworkStats();
    private final NetworkStats.Recorder one = stats.recorder();
    private final NetworkStats.Recorder other = stats.recorder();

    @Test
    void reset_startsTotalsFromZeroAndKeepsTheNumberOfConnectedClients() {
        one.add(NetworkEvent.RECEIVED, 5);
        other.add(NetworkEvent.CLOSED, 2);
        other.add(NetworkEvent.BYTES_IN, 100);

        stats.reset();

        assertThat(NetworkEvent.values())
                .allSatisfy(event -> assertThat(stats.total(event)).isZero());
        assertThat(stats.connected()).isEqualTo(3);
        other.add(NetworkEvent.BYTES_IN, 7);
        assertThat(stats.total(NetworkEvent.BYTES_IN)).isEqualTo(7);
    }
}
