package io.tallis.cluster.delta;

import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.frame.Pace;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.peer.Sessions;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.OwnChanges;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/// Multicasts all cells again, slowly and for ever: those that this session changed, and of all others the share that
/// falls to this member, whole. Whatever was missed heals by it.
public final class Rotation {
    /// How many cells a step goes through at most, some at a time, to find as many as fill a frame.
    private static final int MOST_CELLS = 1_024;

    private static final int CELLS_A_LOOK = 16;
    private static final int FULL_BYTES = Batch.FRAME_BYTES * 3 / 4;

    /// A round takes at least so long, however few cells there are.
    private static final long LEAST_ROUND_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final OwnChanges changes;
    private final Sessions sessions;
    private final Entries entries;
    private final Pace pace;
    private final Batch batch;
    private final boolean on;
    private final CRC32C crc = new CRC32C();
    private long cursor;
    private long roundBegan = Long.MIN_VALUE;
    private long nextRound = Long.MIN_VALUE;
    private long rounds;

    public Rotation(OwnChanges changes, Sessions sessions, Sender sender, Entries entries, long bytesPerSecond) {
        this.changes = changes;
        this.sessions = sessions;
        this.entries = entries;
        on = bytesPerSecond > 0;
        pace = new Pace(Math.max(1, bytesPerSecond), Batch.FRAME_BYTES);
        batch = new Batch(sender, pace, () -> sender.begin(Kind.CELLS_AGAIN));
    }

    /// Sends some cells, if it is time. Returns when to be called again.
    public long tick(long now) {
        if (!on || sessions.peers().all().isEmpty()) {
            return Long.MAX_VALUE;
        }
        if (now < nextRound) {
            return nextRound;
        }
        if (!pace.allows(now)) {
            return now + pace.nanosToWait(now);
        }
        if (cursor == 0) {
            roundBegan = now;
        }
        step();
        if (cursor == 0) {
            rounds++;
            nextRound = roundBegan + LEAST_ROUND_NANOS;
            return nextRound;
        }
        return now + Math.max(1, pace.nanosToWait(now));
    }

    /// How many bytes of frames it has sent.
    public long bytes() {
        return batch.bytes();
    }

    /// Each frame costs every member the same, however little is in it.
    private void step() {
        List<ReplicaId> members = sessions.peers().inOrder();
        int mine = members.indexOf(sessions.self());
        int looked = 0;
        do {
            cursor = changes.visitFrom(cursor, CELLS_A_LOOK, (type, key, counter, own) -> {
                if (share(type, key, members.size()) == mine) {
                    entries.whole(type, key, counter, batch.entry());
                    batch.added();
                } else if (own) {
                    entries.own(type, key, counter, batch.entry());
                    batch.added();
                }
            });
            looked += CELLS_A_LOOK;
        } while (cursor != 0 && looked < MOST_CELLS && batch.unsent() < FULL_BYTES);
        pace.spend(1);
        batch.multicast();
    }

    /// Which member, by the order of their ids, sends the cell whole. In each round it is the next one, since the one
    /// that is picked may be the very one that misses the cell.
    private int share(CounterType type, Key key, int members) {
        crc.reset();
        crc.update(type.code());
        crc.update(key.array(), key.offset(), key.length());
        return (int) ((crc.getValue() + rounds) % members);
    }
}
