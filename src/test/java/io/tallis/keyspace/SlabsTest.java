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

        giveBack(chunk);

        assertThat(bytesUsed.sum()).isEqualTo(99L * Slabs.CHUNK);
        assertThat(slabs.bytesFree()).isEqualTo(free + Slabs.CHUNK);
    }

    @Test
    void returnedChunk_isTakenBeforeANewOne() {
        Slabs.Chunk chunk = take(2).getFirst();

        giveBack(chunk);
        Slabs.Chunk again = slabs.take();
        Slabs.Chunk next = slabs.take();

        assertThat(isOf(again, chunk.bytes)).isTrue();
        assertThat(again.start).isEqualTo(chunk.start);
        assertThat(next.start).isNotEqualTo(chunk.start);
    }

    @Test
    void slab_isFreed_whenItsLastChunkIsReturned() {
        List<Slabs.Chunk> chunks = take(20_000);
        byte[] first = chunks.getFirst().bytes;
        List<Slabs.Chunk> its =
                chunks.stream().filter(chunk -> isOf(chunk, first)).toList();
        its.stream().skip(1).forEach(this::giveBack);
        long free = slabs.bytesFree();

        giveBack(its.getFirst());

        assertThat(slabs.bytesFree()).isEqualTo(free + Slabs.CHUNK - first.length);
        assertThat(take(20_000)).noneMatch(chunk -> isOf(chunk, first));
    }

    @Test
    void onlySlab_isFreed() {
        take(1).forEach(this::giveBack);

        assertThat(slabs.bytesFree()).isZero();
    }

    @Test
    void lastOfManySlabs_isKeptWhileOneChunkComesAndGoes() {
        take(20_000);
        take((int) (slabs.bytesFree() / Slabs.CHUNK));
        byte[] last = slabs.take().bytes;
        long free = slabs.bytesFree();
        List<Slabs.Chunk> rest = take(1);

        for (int i = 0; i < 10; i++) {
            rest.forEach(this::giveBack);
            rest = take(1);
            assertThat(rest.getFirst().bytes).isSameAs(last);
        }

        assertThat(slabs.bytesFree()).isEqualTo(free - Slabs.CHUNK);
    }

    @Test
    void chunk_isTakenFromTheOldestSlab() {
        List<Slabs.Chunk> chunks = take(20_000);
        take((int) (slabs.bytesFree() / Slabs.CHUNK));
        byte[] older = chunks.get(10_000).bytes;
        byte[] younger = chunks.get(15_000).bytes;
        chunks.stream().filter(chunk -> isOf(chunk, younger)).limit(3).forEach(this::giveBack);
        chunks.stream().filter(chunk -> isOf(chunk, older)).limit(2).forEach(this::giveBack);

        assertThat(take(5).stream().map(chunk -> chunk.bytes).toList())
                .containsExactly(older, older, younger, younger, younger);
    }

    /// Arenas that grew side by side have chunks in each slab. Each moves to half as many.
    @Test
    void slabs_areFreed_whenAllThatTakeChunksMoveToFewer() {
        List<List<Slabs.Chunk>> arenas = new ArrayList<>();
        for (int i = 0; i < 1_024; i++) {
            arenas.add(new ArrayList<>());
        }
        for (int i = 0; i < 40; i++) {
            arenas.forEach(arena -> arena.addAll(take(1)));
        }

        for (List<Slabs.Chunk> arena : arenas) {
            take(20);
            arena.forEach(this::giveBack);
        }

        assertThat(bytesUsed.sum()).isEqualTo(20L * 1_024 * Slabs.CHUNK);
        assertThat(slabs.bytesFree()).isLessThan(bytesUsed.sum() / 10);
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

    @SuppressWarnings("ReferenceEquality") // of one and the same array
    private static boolean isOf(Slabs.Chunk chunk, byte[] slab) {
        return chunk.bytes == slab;
    }

    private void giveBack(Slabs.Chunk chunk) {
        slabs.giveBack(chunk.bytes, chunk.start);
    }

    private List<Slabs.Chunk> take(int count) {
        List<Slabs.Chunk> chunks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            chunks.add(slabs.take());
        }
        return chunks;
    }
}
