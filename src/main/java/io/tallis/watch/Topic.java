package io.tallis.watch;

import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Key;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;

/// What somebody watches: counters of a type whose name begins with `prefix`, or, if there are `names`, these counters.
/// `raw` is whether the contributions of the nodes are told too. Who watches the same shares the work.
public record Topic(CounterType type, boolean raw, ByteBuffer prefix, List<ByteBuffer> names) {
    /// Counters by prefix. `type` is `pncount` or `gcount`.
    public static Topic prefix(String type, boolean raw, byte[] prefix) {
        return new Topic(typeOf(type), raw, ByteBuffer.wrap(prefix), List.of());
    }

    /// Some counters.
    public static Topic names(String type, boolean raw, List<byte[]> names) {
        return new Topic(
                typeOf(type),
                raw,
                ByteBuffer.allocate(0),
                names.stream().map(ByteBuffer::wrap).toList());
    }

    private static CounterType typeOf(String type) {
        return CounterType.KEYS.stream()
                .filter(known -> known.name().equals(type.toUpperCase(Locale.ROOT)))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("no type of keys: " + type));
    }

    boolean isOfPrefix() {
        return names.isEmpty();
    }

    /// Whether a name begins with the prefix.
    boolean matches(Key key) {
        int most = prefix.remaining();
        boolean same = key.length() >= most;
        for (int i = 0; same && i < most; i++) {
            same = key.array()[key.offset() + i] == prefix.get(i);
        }
        return same;
    }
}
