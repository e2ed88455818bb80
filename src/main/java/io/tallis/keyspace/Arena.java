package io.tallis.keyspace;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/// The memory that the records of one partition stand in: chunks of 4 KiB, filled one after the other.
///
/// A record is named by its place, a number of 26 bits: the chunk, and where in it in units of four bytes. Records
/// of more than half of a chunk have a chunk of their own, as long as they are. Growing takes a new chunk and
/// copies nothing, so that filling a keyspace leaves next to no garbage behind. Only the first chunk starts small
/// and is copied as it grows, for the sake of keyspaces of few counters. Guarded by the partition's lock.
final class Arena {
    /// How many bits a place has.
    static final int PLACE_BITS = 26;

    /// The most chunks. A merge that needs more is refused, and the replicator then takes in no more from others.
    static final int CHUNK_LIMIT = 1 << 16;

    private static final int UNIT = 4;
    private static final int UNIT_BITS = 10;
    private static final int UNIT_MASK = (1 << UNIT_BITS) - 1;
    private static final int CHUNK = UNIT << UNIT_BITS;
    private static final int FIRST_CHUNK = 128;
    private static final int LARGEST_IN_COMMON = CHUNK / 2;
    private static final int FIRST_CHUNKS = 4;

    /// How many bytes the processor fetches at once.
    private static final int LINE = 64;

    private final LongAdder bytesUsed;
    private byte[][] chunks = new byte[0][];
    private int count;

    /// The chunk that is being filled, and how far it is.
    private int open;

    private int end = CHUNK;
    private long allocated;

    Arena(LongAdder bytesUsed) {
        this.bytesUsed = bytesUsed;
    }

    /// How many chunks there are.
    int chunks() {
        return count;
    }

    /// How many bytes records were given, those that they have left among them.
    long allocated() {
        return allocated;
    }

    /// The chunk of the record at `place`.
    byte[] bytes(int place) {
        return chunks[place >>> UNIT_BITS];
    }

    /// Where the record at `place` starts in its chunk.
    int offset(int place) {
        return (place & UNIT_MASK) * UNIT;
    }

    /// The first byte of the record at `place`; 0 if there is nothing. Needs no lock and means nothing without one.
    int glanceAt(int place) {
        byte[][] seen = chunks;
        int number = place >>> UNIT_BITS;
        byte[] chunk = seen != null && number < seen.length ? seen[number] : null;
        int offset = offset(place);
        return chunk != null && offset < chunk.length ? chunk[offset] : 0;
    }

    /// Something of each line of memory that records stand in, summed up; as meaningless.
    int glanceAtAll() {
        int seen = 0;
        byte[][] all = chunks;
        for (int i = 0; all != null && i < all.length; i++) {
            byte[] chunk = all[i];
            for (int at = 0; chunk != null && at < chunk.length; at += LINE) {
                seen += chunk[at];
            }
        }
        return seen;
    }

    /// The place of a new record of `size` bytes; never 0.
    int allocate(int size) {
        int needed = roundUp(size);
        allocated += needed;
        if (count == 0) {
            open(FIRST_CHUNK, UNIT);
        }
        if (needed > LARGEST_IN_COMMON) {
            return add(new byte[needed]) << UNIT_BITS;
        }
        if (end + needed > CHUNK) {
            open(CHUNK, 0);
        } else if (end + needed > chunks[open].length) {
            growOpenChunk(end + needed);
        }
        int place = open << UNIT_BITS | end / UNIT;
        end += needed;
        return place;
    }

    /// The bytes that a record of `size` bytes takes.
    static int roundUp(int size) {
        return (size + UNIT - 1) & -UNIT;
    }

    private void open(int length, int from) {
        open = add(new byte[length]);
        end = from;
    }

    private void growOpenChunk(int needed) {
        byte[] chunk = chunks[open];
        byte[] grown = Arrays.copyOf(chunk, Math.min(CHUNK, Math.max(needed, chunk.length * 2)));
        chunks[open] = grown;
        bytesUsed.add(grown.length - (long) chunk.length);
    }

    private int add(byte[] chunk) {
        if (count == CHUNK_LIMIT) {
            throw new KeyspaceFullException();
        }
        if (count == chunks.length) {
            chunks = Arrays.copyOf(chunks, Math.max(FIRST_CHUNKS, count + count / 2));
        }
        chunks[count] = chunk;
        bytesUsed.add(chunk.length);
        return count++;
    }

    /// Says that nothing of this arena is used any more.
    void retire() {
        for (int i = 0; i < count; i++) {
            bytesUsed.add(-chunks[i].length);
        }
    }
}
