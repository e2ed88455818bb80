package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.config.ConfigLoader;
import io.tallis.config.Given;
import io.tallis.config.Values;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Limits of memory by size of the heap.
final class MemoryBoundTest {
    private static final long MEGABYTE = 1 << 20;
    private static final String UNSET = "0";

    /// With 64 MB, which is the least rest, counters get half of their share. From 320 MB on the rest is a fifth of the
    /// heap.
    @ParameterizedTest
    @CsvSource({"64, 26843545", "128, 67108864", "256, 201326592", "1000, 838860800", "10000, 8388608000"})
    void counters_getFourFifthsOfTheHeapAndLeaveEnoughOfASmallOne(long heap, long bytes) {
        assertThat(MemoryBound.ofNewCounters(maxMemory(UNSET), heap * MEGABYTE)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({"300mb, 300", "800mb, 800", "801mb, 800", "4gb, 800"})
    void counters_withABoundThatIsSet_getThatIfTheHeapHasIt(String bound, long megabytes) {
        assertThat(MemoryBound.ofNewCounters(maxMemory(bound), 1000 * MEGABYTE)).isEqualTo(megabytes * MEGABYTE);
    }

    /// With 64 MB a quarter more than the limit of counters is less than a third of the rest.
    @ParameterizedTest
    @CsvSource({"64, 33554431", "128, 83886080", "256, 223696213", "1000, 908765866", "10000, 9087658666"})
    void changes_getAThirdOfTheRestToo(long heap, long bytes) {
        assertThat(MemoryBound.ofClientChanges(maxMemory(UNSET), heap * MEGABYTE))
                .isEqualTo(bytes);
    }

    /// A quarter above the limit or a third of the rest of the heap, whichever is less.
    @ParameterizedTest
    @CsvSource({"100mb, 125", "400mb, 500", "700mb, 866", "2000mb, 866"})
    void changes_withABoundThatIsSet_getAQuarterMoreIfTheHeapHasIt(String bound, long megabytes) {
        assertThat(MemoryBound.ofClientChanges(maxMemory(bound), 1000 * MEGABYTE) / MEGABYTE)
                .isEqualTo(megabytes);
    }

    @ParameterizedTest
    @CsvSource({"64, 46976204", "128, 100663296", "256, 234881024", "1000, 943718400", "10000, 9437184000"})
    void merges_getHalfOfTheRestToo(long heap, long bytes) {
        assertThat(MemoryBound.ofMerges(heap * MEGABYTE)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(longs = {16, 64, 65, 128, 256, 320, 512, 1000, 10_000, 1_000_000})
    void bounds_atAnyHeap_areMetInOrder(long heap) {
        Values values = maxMemory(UNSET);
        long bytes = heap * MEGABYTE;

        assertThat(List.of(
                        0L,
                        MemoryBound.ofNewCounters(values, bytes),
                        MemoryBound.ofClientChanges(values, bytes),
                        MemoryBound.ofMerges(bytes),
                        bytes))
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @CsvSource({"64, 8", "1000, 125", "10000, 1250"})
    void clients_getAnEighthOfTheHeap(long heap, long megabytes) {
        assertThat(MemoryBound.ofClients(heap * MEGABYTE)).isEqualTo(megabytes * MEGABYTE);
    }

    @Test
    void bounds_ofThisProcess_areThoseOfItsHeap() {
        Values values = maxMemory(UNSET);
        long heap = Runtime.getRuntime().maxMemory();

        assertThat(MemoryBound.ofNewCounters(values)).isEqualTo(MemoryBound.ofNewCounters(values, heap));
        assertThat(MemoryBound.ofClientChanges(values)).isEqualTo(MemoryBound.ofClientChanges(values, heap));
        assertThat(MemoryBound.ofMerges()).isEqualTo(MemoryBound.ofMerges(heap));
        assertThat(MemoryBound.ofClients()).isEqualTo(MemoryBound.ofClients(heap));
    }

    private static Values maxMemory(String size) {
        return ConfigLoader.load(null, Map.of(), List.of(new Given("maxmemory", List.of(size), "test")))
                .values();
    }
}
