package io.tallis.cluster.peer;

import java.util.Comparator;

/// The identity of a cluster: when it was founded, and 64 random bits that tell apart clusters founded in the same
/// millisecond.
///
/// Made by the node that founds the cluster, carried in beats, kept in each node's data directory. The order decides
/// which of two clusters that meet gives up its identity: the one that was founded later.
public record ClusterId(long foundedMillis, long random) implements Comparable<ClusterId> {
    private static final Comparator<ClusterId> ORDER =
            Comparator.comparingLong(ClusterId::foundedMillis).thenComparingLong(ClusterId::random);

    private static final int HEX = 16;
    private static final int DIGITS = 16;

    @Override
    public int compareTo(ClusterId other) {
        return ORDER.compare(this, other);
    }

    boolean isEarlierThan(ClusterId other) {
        return compareTo(other) < 0;
    }

    /// 32 hexadecimal digits, for files and people.
    @Override
    public String toString() {
        return "%016x%016x".formatted(foundedMillis, random);
    }

    /// Reads what [#toString] wrote. Throws [NumberFormatException] for anything else.
    public static ClusterId parse(String text) {
        if (text.length() != 2 * DIGITS) {
            throw new NumberFormatException("a cluster id has 32 hexadecimal digits: " + text);
        }
        return new ClusterId(
                Long.parseUnsignedLong(text.substring(0, DIGITS), HEX),
                Long.parseUnsignedLong(text.substring(DIGITS), HEX));
    }
}
