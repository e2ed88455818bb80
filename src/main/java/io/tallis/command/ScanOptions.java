package io.tallis.command;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/// The options of `SCAN`: which keys a step returns, and how many counters it visits.
public record ScanOptions(Glob pattern, int count, Set<CounterType> types) {
    private static final int USUAL_COUNT = 10;

    static final Glob ANY = new Glob(new byte[] {'*'});

    /// Reads `[MATCH pattern] [COUNT count]`.
    public static ScanOptions of(Arguments arguments, int from, CounterType type) {
        return parse(arguments, from, EnumSet.of(type), false);
    }

    /// Reads `[MATCH pattern] [COUNT count] [TYPE type]`.
    public static ScanOptions of(Arguments arguments, int from) {
        return parse(arguments, from, EnumSet.allOf(CounterType.class), true);
    }

    /// All keys that match, visiting `count` counters a step.
    public static ScanOptions matching(byte[] pattern, int count) {
        return new ScanOptions(new Glob(pattern), count, EnumSet.allOf(CounterType.class));
    }

    private static ScanOptions parse(Arguments arguments, int from, Set<CounterType> all, boolean typeAllowed) {
        Glob pattern = ANY;
        int count = USUAL_COUNT;
        Set<CounterType> types = all;
        for (int word = from; word < arguments.count(); word += 2) {
            if (word + 1 == arguments.count()) {
                throw CommandError.syntax();
            }
            if (arguments.is(word, "MATCH")) {
                pattern = new Glob(arguments.bytes(word + 1));
            } else if (arguments.is(word, "COUNT")) {
                count = count(arguments, word + 1);
            } else if (typeAllowed && arguments.is(word, "TYPE")) {
                types = types(arguments.text(word + 1));
            } else {
                throw CommandError.syntax();
            }
        }
        return new ScanOptions(pattern, count, types);
    }

    /// Whether a step returns the key of this cell: those of the PNCOUNTs only are not those of texts.
    boolean admit(CounterType type, Cell cell) {
        return types.contains(type) && (types.size() > 1 || type == CounterType.FIELD || !cell.hasText());
    }

    private static int count(Arguments arguments, int word) {
        long count = Numbers.signed(arguments, word);
        if (count < 1) {
            throw CommandError.syntax();
        }
        return (int) Math.min(count, KeyWalk.MOST_CELLS);
    }

    /// The types of that name. A type of Redis that this server does not have matches no key.
    private static Set<CounterType> types(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "string" -> EnumSet.copyOf(CounterType.KEYS);
            case "hash" -> EnumSet.of(CounterType.FIELD);
            case "gcount" -> EnumSet.of(CounterType.GCOUNT);
            case "pncount" -> EnumSet.of(CounterType.PNCOUNT);
            default -> EnumSet.noneOf(CounterType.class);
        };
    }
}
