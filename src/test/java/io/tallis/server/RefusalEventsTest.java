package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.command.dispatch.WriteGate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RefusalEventsTest {
    private final List<String> reported = new ArrayList<>();
    private @Nullable String refusal;
    private final RefusalEvents refusals = new RefusalEvents(() -> refusal, reported::add);

    @Test
    void refusal_isReportedWhenItBeginsAndEnds() {
        refusals.check();
        refusal = "MISCONF Errors writing to the AOF file: no space";
        refusals.check();
        refusals.check();
        refusal = null;
        checkUntilRecovered();

        assertThat(reported)
                .containsExactly(
                        "refuses changes of clients: MISCONF Errors writing to the AOF file: no space",
                        "accepts changes of clients again");
    }

    @Test
    void diskThatFailsNowAndThen_isReportedOnce() {
        for (int i = 0; i < 100; i++) {
            refusal = i % 2 == 0 ? "MISCONF Errors writing to the AOF file: no space" : null;
            refusals.check();
        }

        assertThat(reported).hasSize(1);
    }

    private void checkUntilRecovered() {
        for (int i = 0; i <= RefusalEvents.RECOVERY_CHECKS; i++) {
            refusals.check();
        }
    }

    @Test
    void refusalOfANodeThatStops_isNotReported() {
        refusal = WriteGate.STOPPING;

        refusals.check();

        assertThat(reported).isEmpty();
    }
}
