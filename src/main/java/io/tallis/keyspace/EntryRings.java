package io.tallis.keyspace;

import io.tallis.crdt.CounterType;
import io.tallis.wire.ByteReader;
import io.tallis.wire.CounterCodec;
import io.tallis.wire.MalformedException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/// The entries of all threads, and what they are stamped with; why, stands in [OwnChanges].
///
/// Belongs to the replicator's thread, but for [#add], [#any] and [#stampAhead].
final class EntryRings {
    /// So many frames ahead are entries stamped at least, and at most: as many as go out in a flush or two, at present.
    private static final int LEAST_AHEAD = 4;

    private static final int MOST_AHEAD = 32;

    private final Keyspace keyspace;
    private final CounterCodec codec;
    private final List<OwnEntries> rings = new CopyOnWriteArrayList<>();
    private final Map<OwnEntries, Long> watched = new HashMap<>();
    private final ByteReader reader = new ByteReader();
    private final Key key = new Key();
    private volatile int stampAhead = Stamps.of(LEAST_AHEAD);
    private long sent;
    private int first;

    EntryRings(Keyspace keyspace) {
        this.keyspace = keyspace;
        codec = new CounterCodec(keyspace.replicas());
    }

    OwnEntries add(int bytes) {
        OwnEntries ring = new OwnEntries(this, keyspace.replicas(), bytes);
        rings.add(ring);
        return ring;
    }

    boolean any() {
        for (OwnEntries ring : rings) {
            if (ring.any()) {
                return true;
            }
        }
        return false;
    }

    /// What cells are stamped with when they are changed now.
    int stampAhead() {
        return stampAhead;
    }

    /// The frames up to this one are sent.
    void sent(long head) {
        int stamp = Stamps.of(head + Math.clamp(2 * (head - sent), LEAST_AHEAD, MOST_AHEAD));
        sent = head;
        if (stamp != stampAhead) {
            stampAhead = stamp;
        }
    }

    /// Hands over entries for as long as the sender takes more; those of each thread first in turn.
    void drain(OwnChanges.EntrySender sender) {
        int count = rings.size();
        for (int i = 0; i < count; i++) {
            OwnEntries ring = rings.get((first + i) % count);
            while (sender.takesMore() && ring.next()) {
                int stamp = Stamps.of(sender.send(ring.array(), ring.offset(), ring.length()));
                if (Integer.compareUnsigned(ring.stampOfEntry(), stamp) < 0) {
                    stampAnew(ring, stamp);
                }
                ring.taken();
            }
        }
        first = count == 0 ? 0 : (first + 1) % count;
    }

    /// Before the frame leaves.
    private void stampAnew(OwnEntries entry, int stamp) {
        CounterType type = open(entry);
        Partition partition = keyspace.partition(keyspace.partitionOf(key));
        partition.lock();
        try {
            partition.stamp(partition.table().find(type, key), stamp);
        } finally {
            partition.unlock();
        }
    }

    private CounterType open(OwnEntries entry) {
        try {
            CounterType type = codec.decodeKey(reader.on(entry.array(), entry.offset(), entry.length()));
            key.set(entry.array(), codec.keyOffset(), codec.keyLength());
            return type;
        } catch (MalformedException impossible) {
            throw new IllegalStateException("an entry of this process", impossible);
        }
    }

    /// Remembers what waits now, for [#watchedIsTaken].
    void watch() {
        watched.clear();
        for (OwnEntries ring : rings) {
            watched.put(ring, ring.end());
        }
    }

    /// Whether all that waited at the last [#watch] was taken since.
    boolean watchedIsTaken() {
        watched.entrySet().removeIf(each -> each.getKey().isTakenUpTo(each.getValue()));
        return watched.isEmpty();
    }
}
