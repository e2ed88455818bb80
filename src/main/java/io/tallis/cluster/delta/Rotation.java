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

/// Multicasts all cells again and again at a low rate, so that a difference between nodes which no other mechanism
/// noticed disappears in the end.
///
/// In each round this node sends its own shard of the cells that it changed, and all shards of the cells that fall to
/// it by their hash, so that the nodes together send each cell whole once a round.
public final class Rotation {
    /// The most cells that a step visits to fill a frame, and how many at a time.
    private static final int MOST_CELLS = 1_024;

    private static final int CELLS_A_VISIT = 16;
    private static final int FULL_BYTES = Batch.FRAME_BYTES * 3 / 4;

    /// The shortest time of a round, however few cells there are.
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

    /// Sends some cells, if the pace allows it. Returns when to be called again.
    public long step(long now) {
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

    /// How many bytes of frames were sent.
    public long bytes() {
        return batch.bytes();
    }

    /// Fills a frame as far as it can, since each frame costs every node the same, however little is in it.
    private void step() {
        List<ReplicaId> members = sessions.peers().inOrder();
        int mine = members.indexOf(sessions.self());
        int visited = 0;
        do {
            cursor = changes.visitFrom(cursor, CELLS_A_VISIT, (type, key, counter, own) -> {
                if (senderOf(type, key, members.size()) == mine) {
                    entries.whole(type, key, counter, batch.entry());
                    batch.added();
                } else if (own) {
                    entries.own(type, key, counter, batch.entry());
                    batch.added();
                }
            });
            visited += CELLS_A_VISIT;
        } while (cursor != 0 && visited < MOST_CELLS && batch.unsent() < FULL_BYTES);
        // A step that found nothing to send costs something too, or such steps would follow each other without bound.
        pace.spend(1);
        batch.multicast();
    }

    /// The index of the node, in the order of session ids, that sends the whole cell in this round. In the next round
    /// it is the next node, because the chosen node may lack the cell.
    private int senderOf(CounterType type, Key key, int members) {
        crc.reset();
        crc.update(type.code());
        crc.update(key.array(), key.offset(), key.length());
        return (int) ((crc.getValue() + rounds) % members);
    }
}
