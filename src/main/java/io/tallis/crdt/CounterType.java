package io.tallis.crdt;

/// The two kinds of counter. A key may hold one of each.
public enum CounterType {
    /// Grows only; worth 0 to 2^64-1, where it saturates.
    GCOUNT,
    /// Goes up and down; worth -2^63 to 2^63-1, and refuses a change that would leave that range.
    PNCOUNT;

    private static final CounterType[] BY_CODE = values();

    /// The number that stands for this type in memory, on disk and on the wire; never changes.
    public int code() {
        return ordinal();
    }

    public static CounterType ofCode(int code) {
        return BY_CODE[code];
    }

    public CounterType other() {
        return this == GCOUNT ? PNCOUNT : GCOUNT;
    }
}
