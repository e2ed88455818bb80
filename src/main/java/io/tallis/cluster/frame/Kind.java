package io.tallis.cluster.frame;

import org.jspecify.annotations.Nullable;

/// The kinds of frames, with the number of each on the wire. `replication.md` shows how each is sent.
public enum Kind {
    /// Own changes, numbered.
    DELTA(1),
    /// Cells that the rotation sends again.
    CELLS_AGAIN(2),
    /// The sender's state, see `Beat`.
    BEAT(3),
    /// Asks a session for its changes since a frame.
    ASK(4),
    /// A piece of the answer to an ASK.
    ANSWER(5),
    /// Asks what a peer has of sessions that it cannot reach.
    VECTOR_ASK(6),
    VECTOR(7),
    /// Asks for the number of cells and the digest of partitions.
    SUMS_ASK(8),
    SUMS(9),
    /// Asks for the digests of the leaves of one partition.
    LEAVES_ASK(10),
    LEAVES(11),
    /// Asks for the cells of some leaves of one partition.
    PULL(12),
    CELLS(13),
    /// Acknowledges frames of the receiver that are in the sender's journal.
    ACK(14),
    /// Records of nodes, for people.
    NODES(15),
    /// Events, for people.
    EVENTS(16),
    /// Asks which folds a node has made.
    FOLDS_ASK(17),
    FOLDS(18),
    /// Asks a node for the fold that it proposes.
    FOLD_ASK(19),
    FOLD(20);

    /// Room for the largest cell, which has 65,536 shards of at most 93 bytes, and for the largest vector.
    private static final int LARGE = 8 << 20;

    private static final int SMALL = 256 << 10;

    private static final Kind[] BY_CODE = new Kind[21];

    static {
        for (Kind kind : values()) {
            BY_CODE[kind.code] = kind;
        }
    }

    private final int code;

    Kind(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /// Whether its body contains cells to be merged.
    public boolean bringsCells() {
        return switch (this) {
            case DELTA, CELLS_AGAIN, ANSWER, CELLS -> true;
            default -> false;
        };
    }

    /// Whether its body contains cells that the receiver lacked and asked for.
    boolean isRepair() {
        return this == ANSWER || this == CELLS;
    }

    /// The most bytes of a frame of this kind. Decoded it takes several times as much memory, so kinds whose bodies are
    /// lists of small objects have the small bound.
    public int mostBytes() {
        return switch (this) {
            case DELTA, CELLS_AGAIN, ANSWER, CELLS, BEAT, VECTOR, SUMS -> LARGE;
            default -> SMALL;
        };
    }

    /// The kind with that number, or null.
    public static @Nullable Kind ofCode(int code) {
        return code > 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
