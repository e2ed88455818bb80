package io.tallis.cluster.jgroups;

/// How many bytes of frames a member was sent that it has not confirmed, of which JGroups tells the number only: they
/// are the last ones. Belongs to the thread that sends.
final class Unconfirmed {
    /// So many frames at most may be unconfirmed.
    static final int MOST_FRAMES = 2_000;

    static final long MOST_BYTES = 16 << 20;

    private final long[] bytesUpTo = new long[MOST_FRAMES + 1];
    private long frames;

    /// A frame is sent.
    void sent(int bytes) {
        long before = bytesUpTo[index(frames)];
        frames++;
        bytesUpTo[index(frames)] = before + bytes;
    }

    /// Whether that is so much, when so many are unconfirmed, that no more should be sent.
    boolean isMuch(int unconfirmed) {
        if (unconfirmed >= MOST_FRAMES) {
            return true;
        }
        long last = bytesUpTo[index(frames)];
        return last - bytesUpTo[index(Math.max(0, frames - unconfirmed))] >= MOST_BYTES;
    }

    private static int index(long frame) {
        return (int) (frame % (MOST_FRAMES + 1));
    }
}
