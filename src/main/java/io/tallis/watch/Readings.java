package io.tallis.watch;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Contributions;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Makes readings of cells. `names` are the names of nodes by session.
record Readings(Replicas replicas, Function<ReplicaId, String> names) {
    private static final BigInteger RANGE = BigInteger.ONE.shiftLeft(Long.SIZE);

    Reading of(byte[] name, Cell cell, boolean raw) {
        boolean exists = cell.exists();
        return new Reading(
                new String(name, StandardCharsets.UTF_8),
                exists,
                exists ? value(cell) : null,
                exists && raw ? contributions(cell) : null);
    }

    /// First the number that was assigned, if one was.
    private SequencedMap<String, BigInteger> contributions(Cell cell) {
        SequencedMap<String, BigInteger> all = new LinkedHashMap<>();
        if (cell.hasRegister() && !cell.hasText()) {
            all.put(Contributions.ASSIGNED, BigInteger.valueOf(cell.number()));
        }
        all.putAll(Contributions.of(cell.counts(), replicas, names));
        return all;
    }

    private static @Nullable BigInteger value(Cell cell) {
        if (cell.hasText()) {
            return null;
        }
        BigInteger value = BigInteger.valueOf(cell.value());
        boolean isUnsigned = cell.type() == CounterType.GCOUNT;
        return isUnsigned && value.signum() < 0 ? value.add(RANGE) : value;
    }
}
