package io.tallis.cluster.peer;

import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.Comparator;

/// The last purge of a cluster of which a node knows: how many there were, and random bits that tell apart purges of
/// the same number, as nodes make that have forgotten each other.
///
/// Part of the [Standing] of a node. The page `purging.md` explains purges.
///
/// ```
/// number (varint) | id (8)
/// ```
public record Purge(long number, long id) implements Comparable<Purge> {
    public static final Purge NONE = new Purge(0, 0);

    private static final Comparator<Purge> ORDER =
            Comparator.comparingLong(Purge::number).thenComparingLong(Purge::id);

    private static final int HEX = 16;

    @Override
    public int compareTo(Purge other) {
        return ORDER.compare(this, other);
    }

    public boolean isLaterThan(Purge other) {
        return compareTo(other) > 0;
    }

    /// What frames say of it.
    public int tag() {
        return (int) id;
    }

    void write(ByteWriter out) {
        out.varint(number);
        out.i64(id);
    }

    static Purge read(ByteReader in) throws MalformedException {
        Purge purge = new Purge(in.varint(), in.i64());
        if (purge.number < 0 || (purge.number == 0) != purge.equals(NONE)) {
            throw new MalformedException("purge " + purge);
        }
        return purge;
    }

    /// For files and people.
    @Override
    public String toString() {
        return number + "-" + Long.toHexString(id);
    }

    /// Reads what [#toString] wrote. Throws [IllegalArgumentException] for anything else.
    static Purge parse(String text) {
        String[] parts = text.split("-", -1);
        if (parts.length != 2) {
            throw new IllegalArgumentException("no purge: " + text);
        }
        return new Purge(Long.parseLong(parts[0]), Long.parseUnsignedLong(parts[1], HEX));
    }
}
