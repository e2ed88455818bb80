package io.tallis.journal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Parts;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Records what processes acknowledged about counters, and checks that a recovered keyspace has it.
///
/// Counters of different processes number replicas differently; here all use the ledger's numbers.
public final class Ledger {
    /// A counter's name.
    record Name(CounterType type, String key) implements Comparable<Name> {
        static Name of(CounterType type, Key key) {
            return new Name(type, new String(key.toByteArray(), StandardCharsets.ISO_8859_1));
        }

        Key toKey() {
            return Key.of(key.getBytes(StandardCharsets.ISO_8859_1));
        }

        @Override
        public int compareTo(Name other) {
            return (type + key).compareTo(other.type + other.key);
        }
    }

    /// A counter as some row of the journal has it.
    record Row(Name name, Cell counter) {}

    private record Reset(Name name, Cell before, Cell after) {}

    /// No counter here has a deadline.
    private static final long NOW = 0;

    private final Replicas replicas;
    private final CellCodec codec;
    private final Map<Name, Cell> promised = new HashMap<>();
    private final List<Row> acknowledged = new ArrayList<>();
    private final List<Reset> resets = new ArrayList<>();

    public Ledger() {
        this(new Replicas(new ReplicaId(-1, -1)));
    }

    public Ledger(Replicas replicas) {
        this.replicas = replicas;
        codec = new CellCodec(replicas);
    }

    /// What a process knows as `counter`, in numbers of the ledger.
    Cell translate(Cell counter, Replicas from) {
        ByteWriter bytes = new ByteWriter(64);
        new CellCodec(from).encode(counter, CellCodec.NO_OWNER, bytes);
        Cell translated = new Cell();
        try {
            codec.decode(ByteReader.of(bytes.toByteArray()), counter.type(), CellCodec.NO_OWNER, translated);
        } catch (MalformedException e) {
            throw new AssertionError(e);
        }
        return translated;
    }

    /// The process's own shard of `counter` and no other, in numbers of the ledger.
    Cell translateOwn(Cell counter, Replicas from) {
        ByteWriter bytes = new ByteWriter(64);
        new CellCodec(from).encodeOnly(counter, Replicas.OWN, bytes);
        Cell own = new Cell();
        try {
            int owner = replicas.numberOf(from.own());
            codec.decode(ByteReader.of(bytes.toByteArray()), counter.type(), owner, own);
        } catch (MalformedException e) {
            throw new AssertionError(e);
        }
        return own;
    }

    /// A client was told that these changes are made.
    void acknowledge(List<Row> rows) {
        acknowledged.addAll(rows);
    }

    /// What was acknowledged so far must survive whatever comes.
    void promiseAcknowledged() {
        acknowledged.forEach(row -> promise(row.name, row.counter));
        acknowledged.clear();
    }

    /// What was acknowledged and not promised may be gone.
    void forgetAcknowledged() {
        acknowledged.clear();
    }

    private void promise(Name name, Cell counter) {
        promised.computeIfAbsent(name, _ -> new Cell().clear(name.type)).merge(counter, NOW);
    }

    void reset(Name name, Cell before, Cell after) {
        resets.add(new Reset(name, before, after));
    }

    /// Every counter of a keyspace, in numbers of the ledger.
    Map<Name, Cell> contentOf(Keyspace keyspace) {
        Map<Name, Cell> content = new TreeMap<>();
        keyspace.scan(
                0,
                Integer.MAX_VALUE,
                (type, key, counter) -> content.put(Name.of(type, key), translate(counter, keyspace.replicas())));
        return content;
    }

    /// Checks a recovered keyspace against what was promised and what the process before knew; from now on all that was
    /// recovered is promised.
    void check(Keyspace recovered, Map<Name, Cell> known) {
        Map<Name, Cell> content = contentOf(recovered);
        promised.forEach((name, counter) -> assertThat(contains(content.get(name), counter))
                .as("%s has what was promised: %s, expected %s", name, show(content.get(name)), show(counter))
                .isTrue());
        content.forEach((name, counter) -> assertThat(contains(known.get(name), counter))
                .as("%s has no more than was counted: %s, expected %s", name, show(counter), show(known.get(name)))
                .isTrue());
        resets.forEach(reset -> checkWhole(reset, content.get(reset.name)));
        resets.clear();
        content.forEach(this::promise);
    }

    private static boolean contains(Cell larger, Cell smaller) {
        Cell copy = new Cell().clear(smaller.type());
        if (larger != null) {
            copy.copyFrom(larger);
        }
        return copy.merge(smaller, NOW) == Counter.Merged.NOTHING_NEW;
    }

    /// A reset, and what was added with it, is there in all shards or in none.
    private void checkWhole(Reset reset, Cell recovered) {
        if (recovered == null) {
            return;
        }
        int there = 0;
        int missing = 0;
        for (int i = 0; i < reset.after.counts().shards(); i++) {
            for (int total : new int[] {Counter.P, Counter.N, Counter.RP, Counter.RN}) {
                long before = totalOf(reset.before, reset.after.counts().replica(i), total);
                long after = reset.after.counts().low(i, total);
                if (after > before) {
                    boolean has = totalOf(recovered, reset.after.counts().replica(i), total) >= after;
                    there += has ? 1 : 0;
                    missing += has ? 0 : 1;
                }
            }
        }
        byte[] assigned = register(reset.after);
        if (Arrays.compareUnsigned(assigned, register(reset.before)) > 0) {
            boolean has = Arrays.compareUnsigned(register(recovered), assigned) >= 0;
            there += has ? 1 : 0;
            missing += has ? 0 : 1;
        }
        assertThat(there == 0 || missing == 0)
                .as(
                        "%s is reset whole or not: %s, from %s to %s",
                        reset.name, show(recovered), show(reset.before), show(reset.after))
                .isTrue();
    }

    private static long totalOf(Cell counter, int replica, int total) {
        int position = counter.counts().find(replica);
        return position < 0 ? 0 : counter.counts().low(position, total);
    }

    /// The register's bytes, whose order says which of two is newer.
    private static byte[] register(Cell counter) {
        Parts parts = counter.parts();
        int position = parts.find(Parts.REGISTER);
        return position < 0
                ? new byte[0]
                : Arrays.copyOfRange(
                        parts.array(), parts.offset(position), parts.offset(position) + parts.length(position));
    }

    private static String show(Cell counter) {
        if (counter == null) {
            return "nothing";
        }
        StringBuilder text = new StringBuilder();
        Counter counts = counter.counts();
        for (int i = 0; i < counts.shards(); i++) {
            long[] totals = {counts.low(i, 0), counts.low(i, 2), counts.low(i, 4), counts.low(i, 6)};
            text.append(counts.replica(i)).append(Arrays.toString(totals)).append(' ');
        }
        return text.append(HexFormat.of().formatHex(register(counter))).toString();
    }
}
