package io.tallis.crdt;

import java.util.List;

/// The kinds of counter. A key may hold one of each kind that is a key of its own.
public enum CounterType {
    /// Grows only; worth 0 to 2^64-1, where it saturates.
    GCOUNT(0),
    /// Goes up and down; worth -2^63 to 2^63-1, and refuses a change that would leave that range.
    PNCOUNT(1),
    /// The same as a field of a hash: its key names the hash and the field.
    FIELD(2),
    /// A token of a client, see [Token]: counts how often the increment that it stands for was made.
    TOKEN(3);

    /// The types whose keys clients see as keys.
    public static final List<CounterType> KEYS = List.of(GCOUNT, PNCOUNT);

    /// How many bits a code has in memory.
    public static final int CODE_BITS = 2;

    private static final CounterType[] BY_CODE = values();

    private final int code;

    CounterType(int code) {
        this.code = code;
    }

    /// The number of this type in memory, on disk and on the wire: 0 to 3. The journal uses those from 253 on for rows
    /// of its own.
    public int code() {
        return code;
    }

    public static boolean isCode(int code) {
        return code >= 0 && code < BY_CODE.length;
    }

    /// The type of a code, which [#isCode].
    public static CounterType ofCode(int code) {
        return BY_CODE[code];
    }

    /// Whether a counter of this type is a key of its own to clients.
    public boolean isKey() {
        return this == GCOUNT || this == PNCOUNT;
    }

    /// The other type that a key may have; of a type that [#isKey].
    public CounterType other() {
        return this == GCOUNT ? PNCOUNT : GCOUNT;
    }
}
