package io.tallis.sim;

import io.tallis.crdt.ReplicaId;
import java.util.HashMap;
import java.util.Map;

/// Counts what is sent, by kind, and notes the last version that each session wrote.
final class FrameCount {
    /// The number of the kind of frames that are written in the oldest version always.
    private static final int BEAT = 3;

    private static final int DELTA = 1;

    static final int ANSWER = 5;

    /// The rotation.
    private static final int CELLS_AGAIN = 2;

    private static final int KINDS = 17;
    private static final int VERSION_AT = 2;
    private static final int KIND_AT = 3;

    private final long[] sent = new long[KINDS];
    private final Map<ReplicaId, Integer> deltaVersions = new HashMap<>();
    private long bytes;

    void sent(ReplicaId from, byte[] frame) {
        int kind = frame[KIND_AT];
        sent[kind]++;
        bytes += frame.length;
        if (kind == DELTA) {
            deltaVersions.put(from, (int) frame[VERSION_AT]);
        }
    }

    /// How many questions, answers and own changes were sent, by kind: all that is not sent for ever.
    long[] talk() {
        long[] talk = sent.clone();
        talk[BEAT] = 0;
        talk[CELLS_AGAIN] = 0;
        return talk;
    }

    long bytes() {
        return bytes;
    }

    /// The version of the last frame of own changes that the session wrote; 0 if it wrote none.
    int deltaVersion(ReplicaId session) {
        return deltaVersions.getOrDefault(session, 0);
    }
}
