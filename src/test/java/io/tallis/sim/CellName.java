package io.tallis.sim;

import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Key;
import java.nio.charset.StandardCharsets;

/// The name and type of a counter.
record CellName(CounterType type, String key) {
    /// How names begin of what clients change that try again.
    static final String RETRIED = "retried ";

    static CellName of(CounterType type, Key key) {
        return new CellName(type, new String(key.toByteArray(), StandardCharsets.ISO_8859_1));
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

    @Override
    public String toString() {
        return (type == CounterType.GCOUNT ? "g:" : "pn:") + key;
    }
}
