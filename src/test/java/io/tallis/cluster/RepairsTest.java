package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RepairsTest {
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(100);

    private final Repairs repairs = new Repairs();
    private long now = 1;
    private long bytes;

    private void pass(long moved) {
        now += LOOK;
        bytes += moved;
        repairs.look(bytes, now);
    }

    @Test
    void repairs_areManyWhileTheyMoveMuch() {
        pass(1 << 20);
        assertThat(repairs.areMany()).isTrue();

        // Too soon to tell.
        repairs.look(bytes, now + 1);
        assertThat(repairs.areMany()).isTrue();

        pass(1 << 10);
        assertThat(repairs.areMany()).isTrue();

        for (int i = 0; i < 4; i++) {
            pass(1 << 10);
        }
        assertThat(repairs.areMany()).isFalse();
    }
}
