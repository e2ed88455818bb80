package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Replicas;
import io.tallis.runtime.Invariant;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;

/// A ring buffer through which one event loop hands what its clients changed to the replicator, without a lock: the
/// event loop writes, the replicator reads.
///
///     | read, free again | entry | entry | entry | free ...      |
///                        ▲ read                  ▲ written
///
/// Why the replicator does not read the changed cells instead: they are in the cache of the core that changed them, and
/// to fetch one from there takes longer than to copy an entry. Entries lie one behind the other, so the processor
/// fetches them ahead.
///
/// Why a full ring is harmless: the cell is marked instead, and read after all; see [OwnChanges]. So the ring bounds
/// memory, and no event loop ever waits for the replicator.
///
/// ```
/// length of the entry (4) | stamp (4) | entry | 0 to 7 bytes unused
/// ```
///
/// No entry is cut by the end of the ring; a length of -1 says that the next one is at the start. `written` is set with
/// release after the bytes of the entry, so the reader, which gets it with acquire, sees whole entries only. [#offer]
/// belongs to the thread that changes counters, everything else but [#any] to the replicator.
public final class EntryRing {
    /// At a million changes a second these are some milliseconds.
    static final int BYTES = 1 << 18;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int HEAD_BYTES = 8;
    private static final int ALIGNMENT = 8;
    private static final int WRAPPED = -1;

    /// The buffer is not kept larger than this after an entry with a very long key.
    private static final int KEPT_BYTES = 1 << 10;

    private final CellCodec codec;
    private final ByteWriter buffer = new ByteWriter(64);
    private final int size;

    /// How many bytes were ever written and read: the positions of both, as if the ring had no end.
    private final AtomicLong written = new AtomicLong();

    private final AtomicLong read = new AtomicLong();

    // The writer's.
    private long readAsSeen;

    /// Allocated for the first entry. The release of `written` makes it visible to the reader of that entry.
    private byte[] ring = new byte[0];

    // The reader's: the present entry.
    private int at;
    private int length;

    EntryRing(Replicas replicas, int size) {
        Invariant.check(Integer.bitCount(size) == 1 && size > ALIGNMENT, "a ring of a power of two");
        this.size = size;
        codec = new CellCodec(replicas);
    }

    // Writing

    /// Puts an entry into the ring. Returns false if there is no room.
    ///
    /// The replicator sleeps while there is nothing to do. It cannot miss this entry: the caller unlocks the partition
    /// before it checks whether the replicator sleeps.
    public boolean offer(byte[] entry, int offset, int entryLength, int stamp) {
        long from = written.getPlain();
        int bytes = HEAD_BYTES + aligned(entryLength);
        int place = place(from);
        int unused = place + bytes > size ? size - place : 0;
        if (!hasRoom(from + unused + bytes)) {
            return false;
        }
        if (ring.length == 0) {
            ring = new byte[size];
        }
        if (unused > 0) {
            INT.set(ring, place, WRAPPED);
            place = 0;
        }
        INT.set(ring, place, entryLength);
        INT.set(ring, place + Integer.BYTES, stamp);
        System.arraycopy(entry, offset, ring, place + HEAD_BYTES, entryLength);
        written.setRelease(from + unused + bytes);
        return true;
    }

    /// The same for a change of which there is no journal row to copy: encodes this process's shard.
    boolean offer(Key key, Cell counter, int stamp) {
        if (!hasRoom(written.getPlain() + HEAD_BYTES + key.length())) {
            return false;
        }
        buffer.clear();
        buffer.shrinkTo(KEPT_BYTES);
        codec.encodeKey(counter.type(), key.array(), key.offset(), key.length(), buffer);
        codec.encodeOnly(counter, Replicas.OWN, buffer);
        return offer(buffer.array(), 0, buffer.position(), stamp);
    }

    private boolean hasRoom(long end) {
        if (end - readAsSeen > size) {
            readAsSeen = read.getAcquire();
        }
        return end - readAsSeen <= size;
    }

    private int place(long position) {
        return (int) position & (size - 1);
    }

    private static int aligned(int bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    // Reading

    /// Whether it has any entry. Any thread may ask.
    boolean any() {
        return written.get() != read.get();
    }

    /// Where the entries end that were written so far.
    long end() {
        return written.getAcquire();
    }

    /// Whether all entries up to this end were taken.
    boolean isTakenUpTo(long end) {
        return read.getPlain() >= end;
    }

    /// Goes to the next entry, which stays until [#taken]. Returns whether there is one.
    boolean next() {
        long from = read.getPlain();
        if (from == written.getAcquire()) {
            return false;
        }
        at = place(from);
        length = (int) INT.get(ring, at);
        if (length == WRAPPED) {
            read.setRelease(from + size - at);
            at = 0;
            length = (int) INT.get(ring, at);
        }
        return true;
    }

    /// The array that the present entry stands in.
    byte[] array() {
        return ring;
    }

    int offset() {
        return at + HEAD_BYTES;
    }

    int length() {
        return length;
    }

    /// The stamp that the cell got when it was changed.
    int stampOfEntry() {
        return (int) INT.get(ring, at + Integer.BYTES);
    }

    /// Frees the room of the present entry.
    void taken() {
        read.setRelease(read.getPlain() + HEAD_BYTES + aligned(length));
    }
}
