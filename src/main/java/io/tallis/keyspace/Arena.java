package io.tallis.keyspace;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/// The memory allocator of one partition: gives each record (a key and its cell) a place in a chunk of 4 KiB. Places
/// are given one behind the other and are never taken back; [CellTable] moves all records to a new arena when many are
/// no longer used.
///
/// ```
/// place (26 bits)   chunk (16) | offset in it, in units of four bytes (10)
///
/// chunk 0   _ │ record │ record │ record │        an array of its own, doubled up to 4 KiB
/// chunk 1   record │ record │ record │ unused     cut from an array that all partitions share (Slabs)
/// chunk 2   one record of more than 2 KiB         an array of its own, as long as the record
/// ```
///
/// Why chunks, and not one array that doubles: growing then copies nothing and leaves next to no garbage behind, and
/// there is never a moment at which old and new array take room together. The first chunk is the exception, for the
/// sake of keyspaces of few counters: 1,024 partitions with 4 KiB each would be 4 MiB for nothing.
///
/// Guarded by the partition's lock.
final class Arena {
    /// How many bits a place has.
    static final int PLACE_BITS = 26;

    /// The most chunks; see [Capacity].
    private static final int CHUNK_LIMIT = 1 << 16;

    private static final int UNIT = 4;
    private static final int UNIT_BITS = 10;
    private static final int UNIT_MASK = (1 << UNIT_BITS) - 1;
    private static final int CHUNK = Slabs.CHUNK;
    private static final int FIRST_CHUNK = 128;
    private static final int LARGEST_IN_COMMON = CHUNK / 2;
    private static final int FIRST_CHUNKS = 4;

    /// The length of the processor's cache lines.
    private static final int LINE = 64;

    /// Stands for the array of a record that another arena has taken over.
    private static final byte[] GONE = {};

    private final Slabs slabs;
    private final LongAdder bytesUsed;

    // By chunk: the array that it is in, and where it starts there. At 0: the array is its own.
    private byte[][] chunks = new byte[0][];
    private int[] starts = new int[0];
    private int count;

    /// The chunk that is being filled, and how far it is.
    private int open;

    private int end = CHUNK;
    private long allocated;

    Arena(Slabs slabs, LongAdder bytesUsed) {
        this.slabs = slabs;
        this.bytesUsed = bytesUsed;
    }

    /// How many chunks there are.
    int chunks() {
        return count;
    }

    boolean isFull() {
        return count == CHUNK_LIMIT;
    }

    /// How many bytes were given to records, also to records that have moved since.
    long allocated() {
        return allocated;
    }

    /// The array that the record at `place` is in.
    byte[] bytes(int place) {
        return chunks[place >>> UNIT_BITS];
    }

    /// Where the record at `place` starts in its array.
    int offset(int place) {
        return starts[place >>> UNIT_BITS] + (place & UNIT_MASK) * UNIT;
    }

    /// The first byte of the record at `place`, for [Prefetch]: takes no lock, and what it returns means nothing.
    int peek(int place) {
        byte[][] seen = chunks;
        int[] from = starts;
        int number = place >>> UNIT_BITS;
        // A thread without the lock may see this object before its fields.
        if (seen == null || from == null || number >= seen.length || number >= from.length) {
            return 0;
        }
        byte[] bytes = seen[number];
        int offset = from[number] + (place & UNIT_MASK) * UNIT;
        return bytes != null && offset < bytes.length ? bytes[offset] : 0;
    }

    /// Loads every cache line of all records, in the order of addresses; without a lock and a meaning.
    int peekAll() {
        int sum = 0;
        byte[][] seen = chunks;
        int[] from = starts;
        int all = seen == null || from == null ? 0 : Math.min(seen.length, from.length);
        for (int i = 0; i < all; i++) {
            byte[] bytes = seen[i];
            int start = from[i];
            int end = bytes == null ? 0 : start == 0 ? bytes.length : Math.min(bytes.length, start + CHUNK);
            for (int at = start; at < end; at += LINE) {
                sum += bytes[at];
            }
        }
        return sum;
    }

    /// The place of a new record of `size` bytes; never 0.
    int allocate(int size) {
        int needed = roundUp(size);
        begin();
        int place;
        if (needed > LARGEST_IN_COMMON) {
            place = addOwn(new byte[needed]) << UNIT_BITS;
        } else {
            makeRoom(needed);
            place = open << UNIT_BITS | end / UNIT;
            end += needed;
        }
        allocated += needed;
        return place;
    }

    /// The place of a record of another arena, which must not be asked for it again. A record with an array of its own
    /// brings it along, any other is copied: so memory need not have room for the longest twice.
    int takeOver(Arena other, int place, int size) {
        byte[] bytes = other.bytes(place);
        if (roundUp(size) > LARGEST_IN_COMMON) {
            begin();
            requireRoom();
            other.chunks[place >>> UNIT_BITS] = GONE;
            allocated += bytes.length;
            return add(bytes, 0) << UNIT_BITS;
        }
        int moved = allocate(size);
        System.arraycopy(bytes, other.offset(place), bytes(moved), offset(moved), size);
        return moved;
    }

    /// The bytes that a record of `size` bytes takes.
    static int roundUp(int size) {
        return (size + UNIT - 1) & -UNIT;
    }

    /// No record is at the beginning of the first chunk, which would be place 0.
    private void begin() {
        if (count == 0) {
            open = addOwn(new byte[FIRST_CHUNK]);
            end = UNIT;
        }
    }

    private void makeRoom(int needed) {
        if (end + needed > CHUNK) {
            requireRoom();
            Slabs.Chunk chunk = slabs.take();
            open = add(chunk.bytes, chunk.start);
            end = 0;
        } else if (isOwn(open) && end + needed > chunks[open].length) {
            growFirstChunk(end + needed);
        }
    }

    private void growFirstChunk(int needed) {
        byte[] bytes = chunks[open];
        int grown = Math.max(needed, bytes.length * 2);
        if (grown < CHUNK) {
            chunks[open] = Arrays.copyOf(bytes, grown);
            bytesUsed.add(grown - (long) bytes.length);
        } else {
            Slabs.Chunk chunk = slabs.take();
            System.arraycopy(bytes, 0, chunk.bytes, chunk.start, bytes.length);
            chunks[open] = chunk.bytes;
            starts[open] = chunk.start;
            bytesUsed.add(-bytes.length);
        }
    }

    private void requireRoom() {
        if (isFull()) {
            throw KeyspaceFullException.ofPartition();
        }
    }

    private int addOwn(byte[] bytes) {
        requireRoom();
        bytesUsed.add(bytes.length);
        return add(bytes, 0);
    }

    private int add(byte[] bytes, int start) {
        if (count == chunks.length) {
            int room = Math.max(FIRST_CHUNKS, count + count / 2);
            chunks = Arrays.copyOf(chunks, room);
            starts = Arrays.copyOf(starts, room);
        }
        chunks[count] = bytes;
        starts[count] = start;
        return count++;
    }

    /// Whether the chunk is an array of its own.
    private boolean isOwn(int chunk) {
        return starts[chunk] == 0;
    }

    /// Says that nothing of this arena is used any more.
    void retire() {
        for (int i = 0; i < count; i++) {
            if (isOwn(i)) {
                bytesUsed.add(-chunks[i].length);
            } else {
                slabs.giveBack(chunks[i], starts[i]);
            }
        }
    }
}
