package io.tallis.crdt;

/// The two kinds of counter. A key may hold one of each.
public enum CounterType {
    /// Grows only; worth 0 to 2^64-1, where it saturates.
    GCOUNT(0),
    /// Goes up and down; worth -2^63 to 2^63-1, and refuses a change that would leave that range.
    PNCOUNT(1);

    private final int code;

    CounterType(int code) {
        this.code = code;
    }

    /// The number of this type in memory, on disk and on the wire: 0 or 1. The journal uses 255 for a row of its own.
    public int code() {
        return code;
    }

    public static CounterType ofCode(int code) {
        return code == 0 ? GCOUNT : PNCOUNT;
    }

    public CounterType other() {
        return this == GCOUNT ? PNCOUNT : GCOUNT;
    }
}
