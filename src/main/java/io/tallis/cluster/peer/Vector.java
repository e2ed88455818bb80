package io.tallis.cluster.peer;

import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.util.HashMap;
import java.util.Map;

/// A map from sessions to how much of their changes a node has, see [Sessions]. At most [#MOST] entries, and none for a
/// session of which it has nothing, but for reachable ones in a beat.
///
/// ```
/// count (varint) | for each: session (16) | frames (varint) | news (varint)
/// ```
public final class Vector {
    /// As many sessions as a node keeps, and its own.
    private static final int MOST = Sessions.MOST + 1;
    private static final int LEAST_ENTRY_BYTES = 18;

    private final Map<ReplicaId, Known> known = new HashMap<>();

    public Known of(ReplicaId session) {
        return known.getOrDefault(session, Known.NOTHING);
    }

    public Map<ReplicaId, Known> entries() {
        return known;
    }

    public void raise(ReplicaId session, Known to) {
        if (!to.equals(Known.NOTHING)) {
            known.merge(session, to, Known::larger);
        }
    }

    /// The same, with an entry even if that is nothing.
    void note(ReplicaId session, Known what) {
        known.merge(session, what, Known::larger);
    }

    /// The larger of both, session by session.
    public Vector join(Vector other) {
        Vector join = new Vector();
        known.forEach(join::raise);
        other.known.forEach(join::raise);
        return join;
    }

    /// The smaller of both, session by session.
    public Vector meet(Vector other) {
        Vector meet = new Vector();
        known.forEach((session, mine) -> meet.raise(session, mine.smaller(other.of(session))));
        return meet;
    }

    /// A hash that does not depend on the order of entries.
    long hash() {
        long hash = 0;
        for (Map.Entry<ReplicaId, Known> entry : known.entrySet()) {
            long mixed =
                    entry.getKey().high() * 0x9E6C63D0876A9A35L + entry.getKey().low();
            mixed = (mixed ^ mixed >>> 29) * 0xC2B2AE3D27D4EB4FL
                    + entry.getValue().frames();
            mixed = (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L
                    + entry.getValue().news();
            hash += (mixed ^ mixed >>> 29) * 0xA0761D6478BD642FL;
        }
        return hash;
    }

    public void write(ByteWriter out) {
        out.varint(known.size());
        known.forEach((session, what) -> {
            CellCodec.encodeId(session, out);
            out.varint(what.frames());
            out.varint(what.news());
        });
    }

    public static Vector read(ByteReader in) throws MalformedException {
        Vector vector = new Vector();
        int count = in.count(LEAST_ENTRY_BYTES);
        if (count > MOST) {
            throw new MalformedException("a vector of " + count + " sessions, expected at most " + MOST);
        }
        for (int i = 0; i < count; i++) {
            ReplicaId session = CellCodec.decodeId(in);
            long frames = number(in);
            vector.note(session, new Known(frames, number(in)));
        }
        return vector;
    }

    private static long number(ByteReader in) throws MalformedException {
        long number = in.varint();
        if (number < 0) {
            throw new MalformedException("a negative number in a vector: " + number);
        }
        return number;
    }
}
