package io.tallis.cluster.jgroups;

/// Measures how many bytes were sent to one member that it has not acknowledged, so that a slow one is sent no more.
///
/// JGroups tells only the number of unacknowledged pieces, which are the last ones that were sent, so this keeps the
/// sizes of the last [#MOST_PIECES]. For the replicator's thread only.
final class SendWindow {
    /// At most so many pieces may be unacknowledged, and so many bytes but for the last frame.
    static final int MOST_PIECES = 2_000;

    static final long MOST_BYTES = 16 << 20;

    private final int longestPiece;
    private final long[] bytesUpTo = new long[MOST_PIECES + 1];
    private long pieces;

    /// Frames longer than `longestPiece` are sent in several.
    SendWindow(int longestPiece) {
        this.longestPiece = longestPiece;
    }

    void add(int bytes) {
        int left = bytes;
        do {
            int piece = Math.min(left, longestPiece);
            long before = bytesUpTo[index(pieces)];
            pieces++;
            bytesUpTo[index(pieces)] = before + piece;
            left -= piece;
        } while (left > 0);
    }

    /// Whether no more should be sent while so many pieces are unacknowledged.
    boolean isFull(int unacknowledged) {
        if (unacknowledged >= MOST_PIECES) {
            return true;
        }
        long last = bytesUpTo[index(pieces)];
        return last - bytesUpTo[index(Math.max(0, pieces - unacknowledged))] >= MOST_BYTES;
    }

    private static int index(long piece) {
        return (int) (piece % (MOST_PIECES + 1));
    }
}
