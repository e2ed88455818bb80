package io.tallis.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.resp.RespLimits.OutputLimit;
import io.tallis.runtime.Live;
import org.junit.jupiter.api.Test;

final class ConnectionLimitsTest {
    private static final OutputLimit NORMAL = new OutputLimit(1000, 100, 10);
    private static final OutputLimit PUBSUB = new OutputLimit(5000, 0, 0);
    private static final RespLimits LIMITS =
            new RespLimits(100, 30, 300, true, false, 1 << 20, 1 << 20, 1L << 40, NORMAL, PUBSUB);

    private long seconds = 1000;
    private boolean listening;
    private final ConnectionLimits connection =
            new ConnectionLimits(Live.fixed(LIMITS), () -> seconds, () -> listening);

    @Test
    void waitingBytes_aboveTheHardLimit_exceedAtOnce() {
        assertThat(connection.isExceededBy(1000)).isFalse();
        assertThat(connection.isExceededBy(1001)).isTrue();
    }

    @Test
    void waitingBytes_aboveTheSoftLimit_exceedAfterItsSeconds() {
        assertThat(connection.isExceededBy(101)).isFalse();
        seconds += 10;
        assertThat(connection.isExceededBy(101)).isFalse();
        seconds += 1;

        assertThat(connection.isExceededBy(101)).isTrue();
    }

    @Test
    void waitingBytes_belowTheSoftLimitInBetween_startAnew() {
        connection.isExceededBy(101);
        seconds += 10;
        connection.isExceededBy(100);
        connection.isExceededBy(101);
        seconds += 10;

        assertThat(connection.isExceededBy(101)).isFalse();
    }

    @Test
    void client_thatTakesItsReplies_isNotIdle() {
        connection.isExceededBy(90);
        seconds += 31;
        boolean silentBefore = connection.isIdleTooLong();

        connection.isExceededBy(80);

        assertThat(silentBefore).isTrue();
        assertThat(connection.isIdleTooLong()).isFalse();
    }

    /// So that a client that reads too slowly is slowed down before it is closed.
    @Test
    void pause_isAtTheSoftLimitOrHalfOfTheHardLimit() {
        assertThat(connection.pauseBytes()).isEqualTo(100);
        listening = true;
        assertThat(connection.pauseBytes()).isEqualTo(2500);
    }

    @Test
    void waitingBytes_ofAClientThatReceivesMessages_haveTheirOwnLimit() {
        listening = true;

        assertThat(connection.isExceededBy(5000)).isFalse();
        assertThat(connection.isExceededBy(5001)).isTrue();
        assertThat(connection.hardBytes()).isEqualTo(5000);
    }

    @Test
    void idleClient_exceedsTheTimeout() {
        seconds += 30;
        assertThat(connection.isIdleTooLong()).isFalse();
        seconds += 1;

        assertThat(connection.isIdleTooLong()).isTrue();
    }

    @Test
    void idleTime_startsAtTheLastActivity() {
        seconds += 30;
        connection.active();
        seconds += 30;

        assertThat(connection.isIdleTooLong()).isFalse();
    }

    @Test
    void clientThatReceivesMessages_isNeverIdle() {
        listening = true;
        seconds += 1000;

        assertThat(connection.isIdleTooLong()).isFalse();
    }
}
