package io.tallis.keyspace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.LongAdder;

/// The large arrays that the chunks of all partitions are cut from. For any thread; holds no other lock.
///
/// A chunk with an array of its own would be allocated among young objects, and G1 would move it at least once before
/// it is old: most of its work while a keyspace is filled, and each move touches new memory. An array of more than half
/// of a G1 region is never moved and has its regions for itself, so slabs are as large as a region as soon as there are
/// enough chunks to fill one. A slab is never freed: returned chunks are used again before new ones are cut.
final class Slabs {
    /// The length of a chunk.
    static final int CHUNK = 1 << 12;

    /// Where the first chunk of a slab starts. Not at 0, which tells arenas that an array is no slab.
    private static final int FIRST_START = 64;

    /// A slab has at least so many chunks, or this part of all chunks so far, until slabs are larger than half a
    /// region.
    private static final int FEWEST_CHUNKS = 16;

    private static final int PART = 4;

    /// G1 divides a heap into about so many regions, whose size is a power of two, unless it is configured otherwise.
    private static final int REGIONS = 2048;

    private static final long SMALLEST_REGION = 1 << 20;
    private static final long LARGEST_REGION = 1 << 25;

    private final LongAdder bytesUsed;
    private final LongAdder bytesFree = new LongAdder();
    private final int mostChunks;

    @GuardedBy("this")
    private final ArrayDeque<Chunk> returned = new ArrayDeque<>();

    @GuardedBy("this")
    private byte[] slab = new byte[0];

    @GuardedBy("this")
    private int end;

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

    /// The bytes of slabs that are in no used chunk. May be asked without the lock.
    long bytesFree() {
        return bytesFree.sum();
    }

    /// A free chunk, with any content.
    synchronized Chunk take() {
        Chunk again = returned.poll();
        if (again == null) {
            again = cut();
        }
        bytesFree.add(-CHUNK);
        bytesUsed.add(CHUNK);
        return again;
    }

    @GuardedBy("this")
    private Chunk cut() {
        if (end + CHUNK > slab.length) {
            int more = more();
            slab = new byte[FIRST_START + more * CHUNK];
            end = FIRST_START;
            chunks += more;
            bytesFree.add(slab.length);
        }
        int start = end;
        end += CHUNK;
        return new Chunk(slab, start);
    }

    /// In proportion to the present number, so that few counters take little memory.
    @GuardedBy("this")
    private int more() {
        long part = chunks / PART;
        return part > mostChunks / 2 ? mostChunks : (int) Math.max(part, FEWEST_CHUNKS);
    }

    /// Takes back a chunk that is no longer used.
    synchronized void giveBack(byte[] bytes, int start) {
        returned.push(new Chunk(bytes, start));
        bytesFree.add(CHUNK);
        bytesUsed.add(-CHUNK);
    }
}
