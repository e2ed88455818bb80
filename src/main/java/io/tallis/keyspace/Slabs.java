package io.tallis.keyspace;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.LongAdder;

/// The large arrays that the chunks of all partitions are cut from. For any thread.
///
/// An array of a chunk's own would begin among what is young, and the collector moves what is young before it leaves it
/// alone: that was most of what it had to do while a keyspace is filled, and took twice the memory that the process had
/// not touched before. An array of more than half of a region is put where it stays at once, and alone in its region,
/// so a slab fills one. It is never given up: chunks that come back are taken again before any is cut.
final class Slabs {
    /// The length of a chunk.
    static final int CHUNK = 1 << 12;

    /// Where the first chunk of a slab starts. Not at 0: that is where arrays start that are no slabs.
    private static final int FIRST_START = 64;

    /// How many chunks the first slab has, and how large a share of all that there are each other adds.
    private static final int FIRST_CHUNKS = 16;

    private static final int SHARE = 4;

    /// How G1 divides a heap if it is not told otherwise: into so many regions or some less, of a power of two.
    private static final int REGIONS = 2048;

    private static final long SMALLEST_REGION = 1 << 20;
    private static final long LARGEST_REGION = 1 << 25;

    private final LongAdder bytesUsed;
    private final int mostChunks;
    private final ArrayDeque<Chunk> returned = new ArrayDeque<>();
    private byte[] slab = new byte[0];
    private int end;

    /// How many chunks were ever cut or are to be.
    private long total;

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

    /// A chunk that nobody else has. Anything may be in it.
    synchronized Chunk take() {
        Chunk again = returned.poll();
        if (again != null) {
            return again;
        }
        if (end + CHUNK > slab.length) {
            // Whole chunks; a fifth of all at most, so that few counters take little.
            slab = new byte[FIRST_START + Math.clamp(total / SHARE, FIRST_CHUNKS, mostChunks) * CHUNK];
            end = FIRST_START;
            total += slab.length / CHUNK;
            bytesUsed.add(slab.length);
        }
        int start = end;
        end += CHUNK;
        return new Chunk(slab, start);
    }

    /// Takes back a chunk that nobody uses any more.
    synchronized void giveBack(byte[] bytes, int start) {
        returned.add(new Chunk(bytes, start));
    }
}
