package io.tallis.journal.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.Faults.Fate;
import io.tallis.journal.disk.SimulatedDisk;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class SparesTest {
    private static final int BYTES = 1 << 10;

    private final Faults faults = new Faults();
    private final SimulatedDisk disk = new SimulatedDisk(faults);

    @Test
    void spare_isFullOfZerosAndSynced() throws IOException {
        Spares spares = open();

        assertThat(spares.prepare(Spares.Filling.UNPAUSED)).isTrue();

        assertThat(disk.names()).singleElement().asString().endsWith(".spare");
        assertThat(disk.contentOf(disk.names().getFirst())).isEqualTo(new byte[BYTES]);
        assertThat(faults.operations()).anyMatch(operation -> operation.contains("sync"));
    }

    @Test
    void spare_onAFullDisk_isDeletedAndTheFailureReported() throws IOException {
        Spares spares = open();
        faults.restart((_, operation) -> operation.contains("write") ? Fate.FAILS_AFTER : Fate.GOOD);

        assertThat(spares.prepare(Spares.Filling.UNPAUSED)).isFalse();

        assertThat(spares.failure()).isEqualTo("No space left on device, making the next segment of 1 MB");
        assertThat(disk.names()).isEmpty();
    }

    @Test
    void spareThatIsNoLongerNeeded_isDeletedWithoutAFailure() throws IOException {
        Spares spares = open();

        boolean ready = spares.prepare(_ -> {
            throw new Spares.NotWantedException();
        });

        assertThat(ready).isFalse();
        assertThat(spares.failure()).isNull();
        assertThat(disk.names()).isEmpty();
    }

    @Test
    void take_withoutASpare_makesASmallFile() throws IOException {
        long large = 1L << 23;
        Spares spares = new Spares(disk, new JournalSettings(null, large, large, 10));

        Spares.Blank blank = spares.take();

        assertThat(blank.capacity()).isEqualTo(1L << 22);
        assertThat(disk.size(blank.name())).isEqualTo(blank.capacity());
    }

    @Test
    void take_withASpare_usesItOnce() throws IOException {
        Spares spares = open();
        assertThat(spares.prepare(Spares.Filling.UNPAUSED)).isTrue();

        assertThat(spares.take().name()).endsWith(".spare");
        assertThat(spares.isReady()).isFalse();
        assertThat(spares.take().name()).endsWith(".new");
    }

    @Test
    void take_afterTheSparesWereDeleted_makesAFile() throws IOException {
        Spares spares = open();
        assertThat(spares.prepare(Spares.Filling.UNPAUSED)).isTrue();
        disk.remove("1.spare");

        assertThat(spares.take().name()).endsWith(".new");
    }

    private Spares open() {
        return new Spares(disk, new JournalSettings(null, BYTES, 2 * BYTES, 10));
    }
}
