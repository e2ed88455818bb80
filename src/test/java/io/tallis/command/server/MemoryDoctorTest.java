package io.tallis.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.command.server.MemoryUse.Counters;
import io.tallis.command.server.MemoryUse.Heap;
import org.junit.jupiter.api.Test;

final class MemoryDoctorTest {
    private static final long MB = 1L << 20;
    private static final long LIMIT = 100 * MB;
    private static final Heap ROOMY = new Heap(50 * MB, 100 * MB, 200 * MB);

    @Test
    void fewCounters_areNotDiagnosed() {
        assertThat(advice(counters(MB, 10, 0), ROOMY, 0))
                .isEqualTo("Counters take only 1.00M, too little to diagnose.\n");
    }

    @Test
    void noProblem_isOneLine() {
        assertThat(advice(counters(50 * MB, 1000, 100), ROOMY, 0))
                .isEqualTo("No problems found: counters take 50.00M of at most 100.00M.\n");
    }

    @Test
    void manyDeletedCounters_areReported() {
        assertThat(advice(counters(60 * MB, 1000, 500), ROOMY, 0))
                .startsWith("Problems found:\n\n * Deleted counters: 500 of 1000 cells keep the totals")
                .contains("about 30.00M, 30 % of the limit of 100.00M")
                .endsWith(".\n")
                .doesNotContain("Nearly full");
    }

    @Test
    void severalFindings_areParagraphs() {
        String advice = advice(counters(95 * MB, 1000, 900), new Heap(190 * MB, 200 * MB, 200 * MB), 30 * MB);

        assertThat(advice)
                .containsSubsequence("\n\n * Nearly full: ", "\n\n * Deleted counters: ", "\n\n * Full heap: 95 %")
                .contains("\n\n * Clients: buffered requests and replies take 30.00M");
    }

    @Test
    void shares_ofNothing_areZero() {
        MemoryUse use = new MemoryUse(counters(0, 0, 0), ROOMY, 0, 0, 10, 0, LIMIT);

        assertThat(use.counters().fragmentation()).isEqualTo(1);
        assertThat(use.counters().peakPercent()).isZero();
        assertThat(use.counters().datasetPercent()).isZero();
        assertThat(use.counters().bytesPerKey()).isZero();
        assertThat(use.counters().deletedBytes()).isZero();
    }

    @Test
    void fragmentation_isWhatIsKeptForEachByteUsed() {
        Counters counters = new Counters(8 * MB, 8 * MB, MB, 2 * MB, 1000, 1000, 0, 0);

        assertThat(counters.fragmentation()).isEqualTo(1.25);
        assertThat(counters.kept()).isEqualTo(10 * MB);
    }

    private static Counters counters(long bytes, long cells, long deleted) {
        return new Counters(bytes, bytes, bytes / 10, 0, cells - deleted, cells, deleted, 0);
    }

    private static String advice(Counters counters, Heap heap, long clients) {
        return new MemoryDoctor(new MemoryUse(counters, heap, clients, 0, 0, 0, LIMIT)).advice();
    }
}
