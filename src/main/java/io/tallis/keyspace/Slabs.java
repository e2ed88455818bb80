package io.tallis.keyspace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.LongAdder;

/// The large arrays that the chunks of all partitions are cut from. For any thread; holds no other lock.
///
/// A chunk that is an array of its own begins its life among what is young, and G1 moves it at least once before it
/// leaves it alone: that was most of what it had to do while a keyspace is filled, and each move took memory that the
/// process had not touched before. An array of more than half of one of G1's regions is put where it stays, and has its
/// regions for itself, so slabs are as large as a region as soon as there is enough to fill one. A slab is never given
/// up: chunks that come back are taken again before any is cut.
final class Slabs {
    /// The length of a chunk.
    static final int CHUNK = 1 << 12;

    /// Where the first chunk of a slab starts. Not at 0: that is where arrays start that are no slabs.
    private static final int FIRST_START = 64;

    /// How many chunks a slab has at least, and else the part of all that were ever cut, until slabs are larger than
    /// half a region.
    private static final int FEWEST_CHUNKS = 16;

    private static final int PART = 4;

    /// How G1 divides a heap if it is not told otherwise: into so many regions or some less, of a power of two.
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

    /// How many chunks a region has room for, in an array.
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

    /// What slabs have that is in no chunk in use. Needs no lock.
    long bytesFree() {
        return bytesFree.sum();
    }

    /// A chunk that nobody else has. Anything may be in it.
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

    /// Few where there are few, so that few counters take little.
    @GuardedBy("this")
    private int more() {
        long part = chunks / PART;
        return part > mostChunks / 2 ? mostChunks : (int) Math.max(part, FEWEST_CHUNKS);
    }

    /// Takes back a chunk that nobody uses any more.
    synchronized void giveBack(byte[] bytes, int start) {
        returned.push(new Chunk(bytes, start));
        bytesFree.add(CHUNK);
        bytesUsed.add(-CHUNK);
    }
}
