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
    void waitingBytes_thatWereTakenMeanwhile_startAnew() {
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

    /// So that one that reads too slowly is slowed before it is closed.
    @Test
    void enough_isTheSoftLimitOrHalfOfTheHardOne() {
        assertThat(connection.pauseBytes()).isEqualTo(100);
        listening = true;
        assertThat(connection.pauseBytes()).isEqualTo(2500);
    }

    @Test
    void waitingBytes_ofAListener_haveTheirOwnLimit() {
        listening = true;

        assertThat(connection.isExceededBy(5000)).isFalse();
        assertThat(connection.isExceededBy(5001)).isTrue();
        assertThat(connection.hardBytes()).isEqualTo(5000);
    }

    @Test
    void silence_beyondTheTimeout_isTooLong() {
        seconds += 30;
        assertThat(connection.isIdleTooLong()).isFalse();
        seconds += 1;

        assertThat(connection.isIdleTooLong()).isTrue();
    }

    @Test
    void silence_afterAWord_startsAnew() {
        seconds += 30;
        connection.active();
        seconds += 30;

        assertThat(connection.isIdleTooLong()).isFalse();
    }

    @Test
    void silence_ofAListener_isNeverTooLong() {
        listening = true;
        seconds += 1000;

        assertThat(connection.isIdleTooLong()).isFalse();
    }
}
