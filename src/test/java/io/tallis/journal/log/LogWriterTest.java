package io.tallis.journal.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.ReplicaId;
import io.tallis.journal.disk.NioDisk;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LogWriterTest {
    private static final int SEGMENT_BYTES = 2 * (int) LogWriter.UNSYNCED_LIMIT;
    private static final byte[] ROWS = new byte[1 << 19];

    @TempDir
    private Path directory;

    @Test
    void flush_whenTooMuchIsNotSynced_syncs() throws IOException {
        JournalSettings settings = new JournalSettings(null, SEGMENT_BYTES, 2L * SEGMENT_BYTES, 10);
        LogWriter log = new LogWriter(
                new Segments(new NioDisk(directory, () -> {}), settings), new ReplicaId(1, 2), () -> 7, 1, 0);
        long mostAtRisk = 0;
        int syncs = 0;

        for (long written = 0; written < LogWriter.UNSYNCED_LIMIT * 3 / 2; written += ROWS.length) {
            long before = log.bytesAtRisk();
            log.add(ROWS, ROWS.length);
            log.flush();
            mostAtRisk = Math.max(mostAtRisk, log.bytesAtRisk());
            syncs += log.bytesAtRisk() < before ? 1 : 0;
        }
        log.close();

        assertThat(mostAtRisk).isBetween(LogWriter.UNSYNCED_LIMIT / 4, LogWriter.UNSYNCED_LIMIT);
        assertThat(syncs).isPositive();
    }
}
