package io.tallis.keyspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

final class SlabsTest {
    private static final long MB = 1 << 20;
    private static final long GB = 1 << 30;

    private final LongAdder bytesUsed = new LongAdder();
    private final Slabs slabs = new Slabs(1 << 30, bytesUsed);

    @Test
    void chunks_areInTheirArraysAndDoNotOverlap() {
        IdentityHashMap<byte[], Set<Integer>> taken = new IdentityHashMap<>();
        for (Slabs.Chunk chunk : take(2_000)) {
            assertThat(chunk.start).isPositive();
            assertThat(chunk.start + Slabs.CHUNK).isLessThanOrEqualTo(chunk.bytes.length);
            assertThat(taken.computeIfAbsent(chunk.bytes, _ -> new HashSet<>()).add(chunk.start / Slabs.CHUNK))
                    .isTrue();
        }
    }

    @Test
    void slabs_growInProportionToWhatThereIs() {
        for (int chunks = 1; chunks < 500; chunks++) {
            take(1);

            assertThat(bytesUsed.sum()).isEqualTo((long) chunks * Slabs.CHUNK);
            assertThat(slabs.bytesFree() / Slabs.CHUNK).isBetween(0L, Math.max(16, chunks / 4L));
        }
    }

    @Test
    void slabs_ofManyChunks_areAsLargeAsARegion() {
        take(20_000);

        assertThat(slabs.bytesFree()).isBetween(0L, 2 * MB);
    }

    @Test
    void returnedChunk_isFree() {
        Slabs.Chunk chunk = take(100).getFirst();
        long free = slabs.bytesFree();

        slabs.giveBack(chunk.bytes, chunk.start);

        assertThat(bytesUsed.sum()).isEqualTo(99L * Slabs.CHUNK);
        assertThat(slabs.bytesFree()).isEqualTo(free + Slabs.CHUNK);
    }

    @Test
    void returnedChunk_isTakenBeforeANewOne() {
        Slabs.Chunk chunk = take(1).getFirst();

        slabs.giveBack(chunk.bytes, chunk.start);
        Slabs.Chunk again = slabs.take();
        Slabs.Chunk next = slabs.take();

        assertThat(again.bytes).isSameAs(chunk.bytes);
        assertThat(again.start).isEqualTo(chunk.start);
        assertThat(next.start).isNotEqualTo(chunk.start);
    }

    @Test
    void slab_fillsARegion() {
        assertThat(Slabs.chunksOfARegion(16 * MB)).isEqualTo(255);
        assertThat(Slabs.chunksOfARegion(2 * GB)).isEqualTo(255);
        assertThat(Slabs.chunksOfARegion(2 * GB + MB)).isEqualTo(511);
        assertThat(Slabs.chunksOfARegion(4 * GB)).isEqualTo(511);
        assertThat(Slabs.chunksOfARegion(14 * GB)).isEqualTo(2_047);
        assertThat(Slabs.chunksOfARegion(64 * GB)).isEqualTo(8_191);
        assertThat(Slabs.chunksOfARegion(Long.MAX_VALUE)).isEqualTo(8_191);
    }

    private List<Slabs.Chunk> take(int count) {
        List<Slabs.Chunk> chunks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            chunks.add(slabs.take());
        }
        return chunks;
    }
}
