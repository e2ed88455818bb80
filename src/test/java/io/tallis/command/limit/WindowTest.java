package io.tallis.command.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Compares a sliding window with a log of all requests.
final class WindowTest {
    private static final int LIMIT = 7;
    private static final int SECONDS = 5;
    private static final int MILLIS = 1000 * SECONDS;
    private static final int PART = MILLIS / 10;

    private final FakeServer server = new FakeServer();
    private final FakeClient client = server.connect();
    private final List<Long> admitted = new ArrayList<>();
    private long now;

    private long admittedSince(long time) {
        return admitted.stream().filter(at -> at > time).count();
    }

    private List<Integer> ask(int quantity) {
        return client.says("HCOUNT WINDOW requests " + LIMIT + " " + SECONDS + " " + quantity)
                .lines()
                .map(line -> Integer.valueOf(line.substring(line.lastIndexOf(' ') + 1)))
                .toList();
    }

    private void pass(long millis) {
        now += millis;
        server.passMillis(millis);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void noPeriodHasMoreThanTheLimit_andAPlaceIsFreeAPartLaterAtMost(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int refused = 0;
        for (int i = 0; i < 2000; i++) {
            pass(random.nextInt(10) == 0 ? random.nextInt(2 * MILLIS) : random.nextInt(2 * MILLIS / LIMIT));
            int quantity = 1 + random.nextInt(3);
            boolean isAdmitted = ask(quantity).getFirst() == 0;
            if (isAdmitted) {
                for (int j = 0; j < quantity; j++) {
                    admitted.add(now);
                }
                assertThat(admittedSince(now - MILLIS)).isLessThanOrEqualTo(LIMIT);
            } else {
                refused++;
                assertThat(admittedSince(now - MILLIS - PART)).isGreaterThan(LIMIT - quantity);
            }
        }
        assertThat(refused).isBetween(200, 1800);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void timesThatAreTold_areThoseAtWhichThereIsRoom(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < LIMIT; i++) {
            pass(random.nextInt(MILLIS / LIMIT));
            assertThat(ask(1)).startsWith(0, LIMIT, LIMIT - 1 - i, -1);
        }
        int quantity = 1 + random.nextInt(LIMIT);
        List<Integer> refusal = ask(quantity);
        assertThat(refusal).startsWith(1, LIMIT, 0);
        int wait = refusal.get(3);
        pass(1000L * (wait - 1) - PART);
        assertThat(ask(quantity).getFirst()).isEqualTo(1);
        pass(1000 + PART);
        assertThat(ask(0).get(2)).isGreaterThanOrEqualTo(quantity);
        pass(1000L * (refusal.get(4) - wait));
        assertThat(ask(0)).containsExactly(0, LIMIT, LIMIT, -1, 0);
    }
}
