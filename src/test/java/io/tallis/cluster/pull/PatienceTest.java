package io.tallis.cluster.pull;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PatienceTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = 1_000 * MS;

    private final Patience patience = new Patience();
    private long now;

    @Test
    void waitsTwiceAsLongAsAnAnswerTook() {
        patience.asked(now);
        now += 2 * SECOND;
        patience.answered(now);
        assertThat(left()).isEqualTo(4 * SECOND);
    }

    @Test
    void waitsWithinBounds() {
        patience.asked(now);
        patience.answered(now += MS);
        assertThat(left()).isEqualTo(1_500 * MS);
        patience.answered(now += 30 * SECOND);
        assertThat(left()).isEqualTo(5 * SECOND);
    }

    @Test
    void waitsShortlyForTheRestOnceWhatWasAskedAgainIsAnswered() {
        patience.asked(now);
        patience.answered(now += MS);
        now = patience.end();
        patience.askedAgain(now);
        patience.answeredRepeated(now += MS);
        assertThat(left()).isEqualTo(200 * MS);
        assertThat(patience.isForTheRest()).isTrue();
        patience.asked(now);
        assertThat(left()).isEqualTo(1_500 * MS);
        assertThat(patience.isForTheRest()).isFalse();
    }

    @Test
    void endsWithAProviderThatIsSilent() {
        patience.asked(now);
        int tries = triesUntilItFailed();
        assertThat(tries).isEqualTo(7);
        assertThat(now).isLessThan(40 * SECOND);
    }

    @Test
    void beginsAnewWithAnAnswer() {
        patience.asked(now);
        for (int i = 0; i < 6; i++) {
            now = patience.end();
            patience.askedAgain(now);
        }
        patience.answeredRepeated(now);
        patience.asked(now);
        assertThat(triesUntilItFailed()).isEqualTo(7);
    }

    private int triesUntilItFailed() {
        int tries = 0;
        while (!patience.failed()) {
            now = patience.end();
            patience.askedAgain(now);
            tries++;
        }
        return tries;
    }

    @Test
    void waitsLongerOnceAnAnswerCameTwice() {
        patience.asked(now);
        patience.answeredInVain(now);
        assertThat(left()).isEqualTo(3 * SECOND);
        patience.answeredInVain(now);
        patience.answeredInVain(now);
        assertThat(left()).isEqualTo(5 * SECOND);
    }

    @Test
    void endsInAFloodOfAnswersThatAreOfNoUse() {
        patience.asked(now);
        while (!patience.failed() && now < 120 * SECOND) {
            now += MS;
            patience.answeredInVain(now);
            patience.backlog(now);
            if (now >= patience.end()) {
                patience.askedAgain(now);
            }
        }
        assertThat(patience.failed()).isTrue();
        assertThat(now).isLessThan(60 * SECOND);
    }

    @Test
    void waitsForWhatIsHereAndWasNotLookedAt() {
        patience.asked(now);
        now += 1_400 * MS;
        patience.backlog(now);
        assertThat(left()).isEqualTo(1_500 * MS);
        now = 12 * SECOND;
        patience.backlog(now);
        assertThat(now).isGreaterThan(patience.end());
    }

    private long left() {
        return patience.end() - now;
    }
}
