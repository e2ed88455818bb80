package io.tallis.cluster.pull;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PullTimeoutTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = 1_000 * MS;

    private final PullTimeout timeout = new PullTimeout();
    private long now;

    @Test
    void waitsTwiceAsLongAsAnAnswerTook() {
        timeout.asked(now);
        now += 2 * SECOND;
        timeout.answered(now);
        assertThat(left()).isEqualTo(4 * SECOND);
    }

    @Test
    void waitsWithinBounds() {
        timeout.asked(now);
        timeout.answered(now += MS);
        assertThat(left()).isEqualTo(1_500 * MS);
        timeout.answered(now += 30 * SECOND);
        assertThat(left()).isEqualTo(5 * SECOND);
    }

    @Test
    void waitsShortlyForTheRestOnceWhatWasAskedAgainIsAnswered() {
        timeout.asked(now);
        timeout.answered(now += MS);
        now = timeout.expiry();
        timeout.askedAgain(now);
        timeout.answeredRepeated(now += MS);
        assertThat(left()).isEqualTo(200 * MS);
        assertThat(timeout.coversAll()).isTrue();
        timeout.asked(now);
        assertThat(left()).isEqualTo(1_500 * MS);
        assertThat(timeout.coversAll()).isFalse();
    }

    @Test
    void endsWithAProviderThatIsSilent() {
        timeout.asked(now);
        int tries = triesUntilItFailed();
        assertThat(tries).isEqualTo(7);
        assertThat(now).isLessThan(40 * SECOND);
    }

    @Test
    void beginsAnewWithAnAnswer() {
        timeout.asked(now);
        for (int i = 0; i < 6; i++) {
            now = timeout.expiry();
            timeout.askedAgain(now);
        }
        timeout.answeredRepeated(now);
        timeout.asked(now);
        assertThat(triesUntilItFailed()).isEqualTo(7);
    }

    private int triesUntilItFailed() {
        int tries = 0;
        while (!timeout.failed()) {
            now = timeout.expiry();
            timeout.askedAgain(now);
            tries++;
        }
        return tries;
    }

    @Test
    void waitsLongerOnceAnAnswerCameTwice() {
        timeout.asked(now);
        timeout.answeredUselessly(now);
        assertThat(left()).isEqualTo(3 * SECOND);
        timeout.answeredUselessly(now);
        timeout.answeredUselessly(now);
        assertThat(left()).isEqualTo(5 * SECOND);
    }

    @Test
    void endsInAFloodOfAnswersThatAreOfNoUse() {
        timeout.asked(now);
        while (!timeout.failed() && now < 120 * SECOND) {
            now += MS;
            timeout.answeredUselessly(now);
            timeout.extendForBacklog(now);
            if (now >= timeout.expiry()) {
                timeout.askedAgain(now);
            }
        }
        assertThat(timeout.failed()).isTrue();
        assertThat(now).isLessThan(60 * SECOND);
    }

    @Test
    void waitsForWhatIsHereAndWasNotLookedAt() {
        timeout.asked(now);
        now += 1_400 * MS;
        timeout.extendForBacklog(now);
        assertThat(left()).isEqualTo(1_500 * MS);
        now = 12 * SECOND;
        timeout.extendForBacklog(now);
        assertThat(now).isGreaterThan(timeout.expiry());
    }

    private long left() {
        return timeout.expiry() - now;
    }
}
