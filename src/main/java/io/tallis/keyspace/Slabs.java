package io.tallis.keyspace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/// The large arrays that the chunks of all partitions are cut from. For any thread; holds no other lock.
///
/// A chunk with an array of its own would be allocated among young objects, and G1 would move it at least once before
/// it is old: most of its work while a keyspace is filled, and each move touches new memory. An array of more than half
/// of a G1 region is never moved and has its regions for itself, so slabs are as large as a region as soon as there are
/// enough chunks to fill one.
///
/// A slab goes to the garbage collector when its last chunk comes back. Partitions fill side by side, so each slab has
/// chunks of nearly all, and gets some back from each that needs fewer. Therefore a chunk is taken from the oldest slab
/// that has any: old ones are filled up, and young ones empty.
final class Slabs {
    /// The length of a chunk.
    static final int CHUNK = 1 << 12;

    /// Where the first chunk of a slab starts. Not at 0, which tells arenas that an array is no slab.
    private static final int FIRST_START = 64;

    /// A slab has at least so many chunks, or this part of all chunks so far, until slabs are larger than half a
    /// region.
    private static final int FEWEST_CHUNKS = 16;

    private static final int PART = 4;

    /// A slab that becomes empty is kept if no other chunk is free, and it is at most this part of all.
    private static final int SPARE_PART = 16;

    /// G1 divides a heap into about so many regions, whose size is a power of two, unless it is configured otherwise.
    private static final int REGIONS = 2048;

    private static final long SMALLEST_REGION = 1 << 20;
    private static final long LARGEST_REGION = 1 << 25;

    private final LongAdder bytesUsed;
    private final LongAdder bytesFree = new LongAdder();
    private final int mostChunks;

    @GuardedBy("this")
    private final IdentityHashMap<byte[], Slab> slabs = new IdentityHashMap<>();

    /// Those that have free chunks, by their number.
    @GuardedBy("this")
    private final TreeMap<Long, Slab> open = new TreeMap<>();

    @GuardedBy("this")
    private long latest;

    /// How many chunks all slabs have.
    @GuardedBy("this")
    private long chunks;

    /// Adds the chunks that are in use to `bytesUsed`.
    Slabs(long mostHeap, LongAdder bytesUsed) {
        this.bytesUsed = bytesUsed;
        mostChunks = chunksOfARegion(mostHeap);
    }

    /// How many chunks fit a region, with an array's header.
    static int chunksOfARegion(long mostHeap) {
        long atLeast = Math.clamp(mostHeap / REGIONS, SMALLEST_REGION, LARGEST_REGION);
        long region = Long.highestOneBit(2 * atLeast - 1);
        return (int) (region / CHUNK) - 1;
    }

    /// A part of an array, as long as a chunk.
    static final class Chunk {
        final byte[] bytes;
        final int start;

        private Chunk(byte[] bytes, int start) {
            this.bytes = bytes;
            this.start = start;
        }
    }

    private static final class Slab {
        final long number;
        final byte[] bytes;

        /// Where the free chunks start, as many as `free` says.
        private final int[] starts;

        private int free;

        Slab(long number, int chunks) {
            this.number = number;
            bytes = new byte[FIRST_START + chunks * CHUNK];
            starts = new int[chunks];
            for (int i = chunks - 1; i >= 0; i--) {
                starts[free++] = FIRST_START + i * CHUNK;
            }
        }

        int chunks() {
            return starts.length;
        }

        boolean isFull() {
            return free == 0;
        }

        boolean isEmpty() {
            return free == starts.length;
        }

        Chunk take() {
            return new Chunk(bytes, starts[--free]);
        }

        void giveBack(int start) {
            starts[free++] = start;
        }
    }

    /// The bytes of slabs that are in no used chunk. May be asked without the lock.
    long bytesFree() {
        return bytesFree.sum();
    }

    /// A free chunk, with any content.
    synchronized Chunk take() {
        Slab slab = open.isEmpty() ? add() : open.firstEntry().getValue();
        Chunk chunk = slab.take();
        if (slab.isFull()) {
            open.remove(slab.number);
        }
        bytesFree.add(-CHUNK);
        bytesUsed.add(CHUNK);
        return chunk;
    }

    @GuardedBy("this")
    private Slab add() {
        Slab slab = new Slab(++latest, more());
        slabs.put(slab.bytes, slab);
        open.put(slab.number, slab);
        chunks += slab.chunks();
        bytesFree.add(slab.bytes.length);
        return slab;
    }

    /// In proportion to the present number, so that few counters take little memory.
    @GuardedBy("this")
    private int more() {
        long part = chunks / PART;
        return part > mostChunks / 2 ? mostChunks : (int) Math.max(part, FEWEST_CHUNKS);
    }

    /// A small part of all memory stays, so that one chunk that comes and goes does not cost a slab each time.
    @GuardedBy("this")
    private boolean isSpare(Slab slab) {
        return open.size() == 1 && slab.chunks() <= chunks / SPARE_PART;
    }

    /// Takes back a chunk that is no longer used.
    synchronized void giveBack(byte[] bytes, int start) {
        Slab slab = Objects.requireNonNull(slabs.get(bytes), "a chunk belongs to a slab");
        slab.giveBack(start);
        open.put(slab.number, slab);
        bytesFree.add(CHUNK);
        bytesUsed.add(-CHUNK);
        if (slab.isEmpty() && !isSpare(slab)) {
            slabs.remove(bytes);
            open.remove(slab.number);
            chunks -= slab.chunks();
            bytesFree.add(-bytes.length);
        }
    }
}
