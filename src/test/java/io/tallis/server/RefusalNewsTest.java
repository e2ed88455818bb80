package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.command.dispatch.WriteGate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RefusalNewsTest {
    private final List<String> told = new ArrayList<>();
    private @Nullable String refusal;
    private final RefusalNews news = new RefusalNews(() -> refusal, told::add);

    @Test
    void refusal_isToldWhenItBeginsAndEnds() {
        news.look();
        refusal = "MISCONF Errors writing to the AOF file: no space";
        news.look();
        news.look();
        refusal = null;
        lookUntilItIsQuiet();

        assertThat(told)
                .containsExactly(
                        "refuses changes of clients: MISCONF Errors writing to the AOF file: no space",
                        "takes changes of clients again");
    }

    @Test
    void diskThatFailsNowAndThen_isToldOfOnce() {
        for (int i = 0; i < 100; i++) {
            refusal = i % 2 == 0 ? "MISCONF Errors writing to the AOF file: no space" : null;
            news.look();
        }

        assertThat(told).hasSize(1);
    }

    private void lookUntilItIsQuiet() {
        for (int i = 0; i <= RefusalNews.QUIET_LOOKS; i++) {
            news.look();
        }
    }

    @Test
    void nodeThatStops_isNoNews() {
        refusal = WriteGate.STOPPING;

        news.look();

        assertThat(told).isEmpty();
    }
}
