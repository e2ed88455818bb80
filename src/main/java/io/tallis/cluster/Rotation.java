package io.tallis.cluster;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.OwnChanges;
import io.tallis.wire.ByteWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/// Multicasts all cells again, slowly and for ever: those that this session changed, and of all others the share that
/// falls to this member, whole. Whatever was missed heals by it.
final class Rotation {
    private static final int CELLS_A_STEP = 64;

    /// A round takes at least so long, however few cells there are.
    private static final long LEAST_ROUND_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final OwnChanges changes;
    private final Sessions sessions;
    private final Sender sender;
    private final Entries entries;
    private final Pace pace;
    private final boolean on;
    private final CRC32C crc = new CRC32C();
    private final List<byte[]> frames = new ArrayList<>();
    private long cursor;
    private long roundBegan = Long.MIN_VALUE;
    private long nextRound = Long.MIN_VALUE;
    private long rounds;

    Rotation(OwnChanges changes, Sessions sessions, Sender sender, Entries entries, long bytesPerSecond) {
        this.changes = changes;
        this.sessions = sessions;
        this.sender = sender;
        this.entries = entries;
        on = bytesPerSecond > 0;
        pace = new Pace(Math.max(1, bytesPerSecond), Deltas.FRAME_BYTES);
    }

    /// Sends some cells, if it is time. Returns when to be called again.
    long tick(long now) {
        if (!on || sessions.present().isEmpty()) {
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

    private void step() {
        List<ReplicaId> members = List.copyOf(sessions.members());
        int mine = members.indexOf(sessions.self());
        ByteWriter out = sender.begin(Kind.CELLS_AGAIN);
        cursor = changes.visitFrom(cursor, CELLS_A_STEP, (type, key, counter, own) -> {
            int start = out.position();
            if (share(type, key, members.size()) == mine) {
                entries.whole(type, key, counter, out);
            } else if (own) {
                entries.own(type, key, counter, out);
            }
            if (out.position() > Deltas.FRAME_BYTES && start > Frame.HEAD_BYTES) {
                endBefore(start, out);
            }
        });
        if (out.position() > Frame.HEAD_BYTES) {
            frames.add(sender.seal());
        }
        pace.spend(1);
        frames.forEach(frame -> {
            pace.spend(frame.length);
            sender.multicast(frame);
        });
        frames.clear();
    }

    /// The entry from `start` on begins the next frame.
    private void endBefore(int start, ByteWriter out) {
        byte[] entry = Arrays.copyOfRange(out.array(), start, out.position());
        out.position(start);
        frames.add(sender.seal());
        sender.begin(Kind.CELLS_AGAIN).bytes(entry, 0, entry.length);
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
