package io.tallis.cluster.frame;

import org.jspecify.annotations.Nullable;

/// What a frame is; see `replication.md` for who sends which, and why.
public enum Kind {
    DELTA(1),
    CELLS_AGAIN(2),
    BEAT(3),
    ASK(4),
    ANSWER(5),
    VECTOR_ASK(6),
    VECTOR(7),
    SUMS_ASK(8),
    SUMS(9),
    LEAVES_ASK(10),
    LEAVES(11),
    PULL(12),
    CELLS(13),
    HAS(14),
    NODES(15),
    EVENTS(16);

    /// More than a cell has of as many shards as it may, of 93 bytes each at most, and more than the vector of as many
    /// sessions.
    private static final int LARGE = 8 << 20;

    private static final int SMALL = 256 << 10;

    private static final Kind[] BY_CODE = new Kind[17];

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

    /// Whether cells are merged of it.
    public boolean bringsCells() {
        return switch (this) {
            case DELTA, CELLS_AGAIN, ANSWER, CELLS -> true;
            default -> false;
        };
    }

    /// Whether it brings what another lacks since it missed it, as it asked for.
    boolean repairs() {
        return this == ANSWER || this == CELLS;
    }

    /// How long a frame of this kind is at most. What becomes of its bytes takes several times as much: many small
    /// things must not come in one frame.
    public int mostBytes() {
        return switch (this) {
            case DELTA, CELLS_AGAIN, ANSWER, CELLS, BEAT, VECTOR, SUMS -> LARGE;
            default -> SMALL;
        };
    }

    /// The kind of that number, or null.
    public static @Nullable Kind ofCode(int code) {
        return code > 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
