package io.tallis.sim;

import io.tallis.crdt.ReplicaId;
import java.util.HashMap;
import java.util.Map;

/// Counts the frames that are sent, by kind, and records the last version that each session wrote.
final class FrameCount {
    /// The numbers of kinds. Beats are written in the oldest version always.
    private static final int DELTA = 1;

    private static final int BEAT = 3;
    static final int ANSWER = 5;
    private static final int NODES = 15;
    private static final int EVENTS = 16;

    /// The rotation.
    private static final int CELLS_AGAIN = 2;

    private static final int KINDS = 21;
    private static final int VERSION_AT = 2;
    private static final int KIND_AT = 3;

    private final long[] talk = new long[KINDS];
    private final Map<ReplicaId, Integer> deltaVersions = new HashMap<>();
    private long bytes;

    static boolean isBeat(byte[] frame) {
        return frame.length > KIND_AT && frame[KIND_AT] == BEAT;
    }

    void multicast(ReplicaId from, byte[] frame) {
        int kind = sent(frame);
        // What is repeated from time to time without need.
        if (kind != BEAT && kind != CELLS_AGAIN && kind != NODES && kind != EVENTS) {
            talk[kind]++;
        }
        if (kind == DELTA) {
            deltaVersions.put(from, (int) frame[VERSION_AT]);
        }
    }

    void unicast(byte[] frame) {
        talk[sent(frame)]++;
    }

    private int sent(byte[] frame) {
        bytes += frame.length;
        return frame[KIND_AT];
    }

    /// How many frames were sent, by kind, without those that are repeated for ever.
    long[] talk() {
        return talk.clone();
    }

    long bytes() {
        return bytes;
    }

    /// The version of the last frame of own changes that the session wrote; 0 if it wrote none.
    int deltaVersion(ReplicaId session) {
        return deltaVersions.getOrDefault(session, 0);
    }
}
