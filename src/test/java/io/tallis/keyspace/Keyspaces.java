package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/// Keyspaces and keys for tests.
final class Keyspaces {
    private Keyspaces() {}

    /// An empty keyspace of replica (1, 1), whose secrets belong to `seed`.
    static Keyspace keyspace(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return new Keyspace(new Replicas(new ReplicaId(1, 1)), random::nextLong, () -> 1_000_000);
    }

    static Key key(String name) {
        return Key.of(name.getBytes(StandardCharsets.ISO_8859_1));
    }

    static String text(Key key) {
        return new String(key.toByteArray(), StandardCharsets.ISO_8859_1);
    }

    /// The first `count` names of keys that belong to a partition, the same ones for every keyspace.
    static List<String> namesIn(int partition, int count) {
        Keyspace keyspace = keyspace(0);
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "key:" + i)
                .filter(name -> keyspace.partitionOf(key(name)) == partition)
                .limit(count)
                .toList();
    }

    /// A cell as another process numbers its replicas.
    static Cell translated(Cell cell, Replicas from, Replicas to) {
        ByteWriter bytes = new ByteWriter(64);
        new CellCodec(from).encode(cell, CellCodec.NO_OWNER, bytes);
        Cell translated = new Cell();
        try {
            new CellCodec(to).decode(ByteReader.of(bytes.toByteArray()), cell.type(), CellCodec.NO_OWNER, translated);
        } catch (MalformedException e) {
            throw new AssertionError(e);
        }
        return translated;
    }

    /// The names of the cells that were sent after a frame, and some that were sent shortly before.
    static List<String> since(OwnChanges own, long frame) {
        List<String> shown = new ArrayList<>();
        long cursor = 0;
        do {
            cursor = own.visitSince(frame, cursor, () -> true, (_, key, _) -> shown.add(text(key)));
        } while (cursor != 0);
        return shown;
    }
}
