package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RepairLoadTest {
    private static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(100);

    private final RepairLoad load = new RepairLoad();
    private long now = 1;
    private long bytes;

    private void pass(long moved) {
        now += INTERVAL;
        bytes += moved;
        load.update(bytes, now);
    }

    @Test
    void load_afterAHeavyInterval_staysHighForFourIntervals() {
        pass(1 << 20);
        assertThat(load.isHigh()).isTrue();

        // Within the same interval nothing changes.
        load.update(bytes, now + 1);
        assertThat(load.isHigh()).isTrue();

        pass(1 << 10);
        assertThat(load.isHigh()).isTrue();

        for (int i = 0; i < 4; i++) {
            pass(1 << 10);
        }
        assertThat(load.isHigh()).isFalse();
    }
}
