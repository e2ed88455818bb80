package io.tallis.cluster.jgroups;

/// How many bytes a member was sent that it has not confirmed. JGroups tells only how many pieces that are: the last
/// ones. Belongs to the thread that sends.
final class Unconfirmed {
    /// So many pieces at most may be unconfirmed, and so many bytes but for the last frame.
    static final int MOST_PIECES = 2_000;

    static final long MOST_BYTES = 16 << 20;

    private final int longestPiece;
    private final long[] bytesUpTo = new long[MOST_PIECES + 1];
    private long pieces;

    /// Frames that are longer than `longestPiece` go in several.
    Unconfirmed(int longestPiece) {
        this.longestPiece = longestPiece;
    }

    /// A frame is sent.
    void sent(int bytes) {
        int left = bytes;
        do {
            int piece = Math.min(left, longestPiece);
            long before = bytesUpTo[index(pieces)];
            pieces++;
            bytesUpTo[index(pieces)] = before + piece;
            left -= piece;
        } while (left > 0);
    }

    /// Whether that is so much, when so many pieces are unconfirmed, that no more should be sent.
    boolean isMuch(int unconfirmed) {
        if (unconfirmed >= MOST_PIECES) {
            return true;
        }
        long last = bytesUpTo[index(pieces)];
        return last - bytesUpTo[index(Math.max(0, pieces - unconfirmed))] >= MOST_BYTES;
    }

    private static int index(long piece) {
        return (int) (piece % (MOST_PIECES + 1));
    }
}
