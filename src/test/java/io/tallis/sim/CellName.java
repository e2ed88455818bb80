package io.tallis.sim;

import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Hashes;
import io.tallis.keyspace.Key;
import java.nio.charset.StandardCharsets;

/// The name and type of a counter; of a field of a hash, its whole key.
record CellName(CounterType type, String key) {
    /// How names begin of what clients change that try again.
    static final String RETRIED = "retried ";

    static CellName of(CounterType type, Key key) {
        return new CellName(type, new String(key.toByteArray(), StandardCharsets.ISO_8859_1));
    }

    /// A field of a hash whose name has less than 128 letters.
    static CellName field(String hash, String field) {
        return new CellName(CounterType.FIELD, (char) hash.length() + hash + field);
    }

    /// How the name begins that clients see as the key.
    boolean keyStartsWith(String prefix) {
        return key.startsWith(prefix, type == CounterType.FIELD ? 1 : 0);
    }

    /// Whether nodes drop its cell at times: [Lives] and [Powers] have the specification of these, [History] that of
    /// the others.
    boolean isDropped() {
        return CrowdedNames.isOne(this);
    }

    /// Whether it is left to [Telling] and [Repeating].
    boolean isRetried() {
        return type == CounterType.TOKEN || key.startsWith(RETRIED);
    }

    /// Whether [History] specifies it.
    boolean isInHistory() {
        return !isDropped() && !isRetried();
    }

    Key toKey() {
        return Key.of(type, key.getBytes(StandardCharsets.ISO_8859_1));
    }

    /// Adds as a client does. Returns false if the counter takes no such amount.
    boolean add(Counters counters, long amount) {
        return switch (type) {
            case GCOUNT -> {
                counters.grow(toKey(), amount);
                yield true;
            }
            case PNCOUNT -> counters.add(toKey(), amount);
            case FIELD -> {
                byte[] field = field();
                yield counters.hashes().increment(hash(), field, 0, field.length, amount) == Counters.Increment.DONE;
            }
            case TOKEN -> throw new IllegalStateException("clients do not add to tokens");
        };
    }

    /// Assigns as a client does, and keeps the deadline.
    void assign(Counters counters, long number) {
        if (type == CounterType.FIELD) {
            byte[] field = field();
            Hashes.Assignment _ = counters.hashes().assign(hash(), field, 0, field.length, number);
        } else {
            counters.assign(toKey(), number, Counters.KEEP);
        }
    }

    private Key hash() {
        return Key.of(key.substring(1, 1 + key.charAt(0)).getBytes(StandardCharsets.ISO_8859_1));
    }

    private byte[] field() {
        return key.substring(1 + key.charAt(0)).getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public String toString() {
        return switch (type) {
            case GCOUNT -> "g:" + key;
            case PNCOUNT -> "pn:" + key;
            case FIELD -> "f:" + key.substring(1);
            case TOKEN -> "t:" + key;
        };
    }
}
