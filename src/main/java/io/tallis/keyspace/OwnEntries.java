package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.Replicas;
import io.tallis.runtime.Invariant;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CounterCodec;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;

/// Entries of what one thread changed for clients, on their way to the replicator and its frames.
///
/// A ring of bytes with one writer and one reader. It spares the reader the cells themselves, which the writer's core
/// has just changed and every look at which would wait for. What finds no room, or is more than this process's share,
/// is marked instead; see [OwnChanges].
///
/// ```
/// length of the entry (4) | stamp (4) | entry | 0 to 7 bytes unused
/// ```
///
/// Nothing goes over the end of the ring; a length of -1 says that the next one is at its start. [#stamp] and
/// [#offer] belong to the thread that changes counters, all else but [#any] to the replicator's.
public final class OwnEntries {
    /// At a million changes a second these are some milliseconds.
    static final int BYTES = 1 << 18;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int HEAD_BYTES = 8;
    private static final int ALIGNMENT = 8;
    private static final int WRAPPED = -1;

    /// Kept for the next entry, after one of a very long key.
    private static final int KEPT_BYTES = 1 << 10;

    private final EntryRings rings;
    private final CounterCodec codec;
    private final ByteWriter entry = new ByteWriter(64);
    private final int size;

    /// Where the next entry begins, for who writes and who reads, as if the ring had no end.
    private final AtomicLong written = new AtomicLong();

    private final AtomicLong read = new AtomicLong();

    // The writer's.
    private long readAsSeen;

    /// Made for the first entry, and visible to who sees that one.
    private byte[] ring = new byte[0];

    // The reader's.
    private int at;
    private int length;

    OwnEntries(EntryRings rings, Replicas replicas, int size) {
        Invariant.check(Integer.bitCount(size) == 1 && size > ALIGNMENT, "a ring of a power of two");
        this.rings = rings;
        this.size = size;
        codec = new CounterCodec(replicas);
    }

    // Who writes

    /// The stamp of what is offered now, which the replicator has not got to yet.
    int stamp() {
        return rings.stampAhead();
    }

    /// Takes this process's share of a counter, if there is room. The unlock of the partition that follows sees to it
    /// that who then looks whether the replicator sleeps does so after this.
    boolean offer(Key key, Counter counter, int stamp) {
        if (!hasRoom(written.getPlain() + HEAD_BYTES + key.length())) {
            return false;
        }
        entry.clear();
        entry.shrinkTo(KEPT_BYTES);
        codec.encodeKey(counter.type(), key.array(), key.offset(), key.length(), entry);
        codec.encodeOnly(counter, Replicas.OWN, entry);
        return offer(entry.array(), 0, entry.position(), stamp);
    }

    /// The same, encoded.
    public boolean offer(byte[] encoded, int offset, int length, int stamp) {
        long from = written.getPlain();
        int bytes = HEAD_BYTES + aligned(length);
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
        INT.set(ring, place, length);
        INT.set(ring, place + Integer.BYTES, stamp);
        System.arraycopy(encoded, offset, ring, place + HEAD_BYTES, length);
        written.setRelease(from + unused + bytes);
        return true;
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

    // Who reads

    /// Whether any waits. May be asked by any thread.
    boolean any() {
        return written.get() != read.get();
    }

    /// Where the entries end that there are by now.
    long end() {
        return written.getAcquire();
    }

    /// Whether all up to this end were taken.
    boolean isTakenUpTo(long end) {
        return read.getPlain() >= end;
    }

    /// Goes to the next entry. Returns whether there is one, which stays until [#taken].
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

    /// The array that the entry stands in.
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

    /// The entry is taken, and its room free.
    void taken() {
        read.setRelease(read.getPlain() + HEAD_BYTES + aligned(length));
    }
}
