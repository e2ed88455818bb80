package io.tallis.command.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Compares a sliding window with a log of all requests.
final class WindowTest {
    private static final int LIMIT = 7;

    private final FakeServer server = new FakeServer();
    private final FakeClient client = server.connect();
    private final List<Long> admitted = new ArrayList<>();
    private long now;

    private long admittedSince(long time) {
        return admitted.stream().filter(at -> at > time).count();
    }

    private List<Integer> ask(int seconds, int quantity) {
        return client.says("HCOUNT WINDOW requests " + LIMIT + " " + seconds + " " + quantity)
                .lines()
                .map(line -> Integer.valueOf(line.substring(line.lastIndexOf(' ') + 1)))
                .toList();
    }

    private void pass(long millis) {
        now += millis;
        server.passMillis(millis);
    }

    @ParameterizedTest
    @CsvSource({"1, 500", "2, 500", "3, 500", "5, 500", "7, 700", "60, 6000", "3600, 360000"})
    void noPeriodHasMoreThanTheLimit_andAPlaceIsFreeAPartLaterAtMost(int seconds, int partMillis) {
        int window = 1000 * seconds;
        SplittableRandom random = new SplittableRandom(seconds);
        int refused = 0;
        for (int i = 0; i < 2000; i++) {
            pass(random.nextInt(random.nextInt(10) == 0 ? 2 * window : 2 * window / LIMIT));
            int quantity = 1 + random.nextInt(3);
            boolean isAdmitted = ask(seconds, quantity).getFirst() == 0;
            if (isAdmitted) {
                for (int j = 0; j < quantity; j++) {
                    admitted.add(now);
                }
                assertThat(admittedSince(now - window)).isLessThanOrEqualTo(LIMIT);
            } else {
                refused++;
                assertThat(admittedSince(now - window - partMillis)).isGreaterThan(LIMIT - quantity);
            }
        }
        assertThat(refused).isBetween(200, 1800);
    }

    @ParameterizedTest
    @CsvSource({"1, 500", "2, 500", "5, 500", "60, 6000"})
    void timesThatAreTold_areThoseAtWhichThereIsRoom(int seconds, int partMillis) {
        SplittableRandom random = new SplittableRandom(seconds);
        for (int i = 0; i < LIMIT; i++) {
            pass(random.nextInt(1000 * seconds / LIMIT));
            assertThat(ask(seconds, 1)).startsWith(0, LIMIT, LIMIT - 1 - i, -1);
        }
        int quantity = 1 + random.nextInt(LIMIT);
        List<Integer> refusal = ask(seconds, quantity);
        assertThat(refusal).startsWith(1, LIMIT, 0);
        int wait = refusal.get(3);
        pass(Math.max(0, 1000L * (wait - 1) - partMillis));
        assertThat(ask(seconds, quantity).getFirst()).isEqualTo(1);
        pass(1000 + partMillis);
        assertThat(ask(seconds, 0).get(2)).isGreaterThanOrEqualTo(quantity);
        pass(1000L * (refusal.get(4) - wait));
        assertThat(ask(seconds, 0)).containsExactly(0, LIMIT, LIMIT, -1, 0);
    }
}
