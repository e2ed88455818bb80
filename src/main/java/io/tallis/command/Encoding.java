package io.tallis.command;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;

/// The names that `OBJECT ENCODING` has for values: Redis's for numbers and text, and `gcount` for a GCOUNT.
public final class Encoding {
    /// Redis keeps a longer text apart from its object, and calls it raw.
    private static final int LONGEST_EMBEDDED = 44;

    /// That of a hash.
    public static final String HASH = "hashtable";

    private Encoding() {}

    public static String of(Cell cell) {
        if (cell.type() == CounterType.GCOUNT) {
            return "gcount";
        }
        if (!cell.hasText()) {
            return "int";
        }
        return cell.textLength() <= LONGEST_EMBEDDED ? "embstr" : "raw";
    }
}
