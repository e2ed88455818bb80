package io.tallis.crdt;

import java.util.Arrays;

/// The parts of a cell that are plain bytes: its register, and parts of kinds that only later versions know.
///
/// All merge by one law: of two parts of a kind the larger is kept, their bytes compared as unsigned numbers from the
/// first on. So a node keeps, stores, forwards and merges a part of a kind that it does not know, and a later version
/// may give a meaning to any bytes whose order says which of two is newer. Kept in ascending order of kind.
public final class Parts {
    /// The kind of a register, see [Register].
    public static final int REGISTER = 2;

    /// The kind of what a token says, see [Token].
    public static final int TOKEN = 3;

    /// The largest kind.
    public static final int LAST_KIND = 127;

    private int count;
    private int[] kinds = new int[1];

    /// Where the part at each position ends; it begins where the one before ends.
    private int[] ends = new int[1];

    private byte[] bytes = new byte[32];

    public void clear() {
        count = 0;
    }

    public int count() {
        return count;
    }

    public int kind(int position) {
        return kinds[position];
    }

    /// Where a part begins in [#array].
    public int offset(int position) {
        return position == 0 ? 0 : ends[position - 1];
    }

    public int length(int position) {
        return ends[position] - offset(position);
    }

    public byte[] array() {
        return bytes;
    }

    /// The position of the part of a kind, or `-(where it belongs) - 1`.
    public int find(int kind) {
        return Arrays.binarySearch(kinds, 0, count, kind);
    }

    /// Appends a part. Kinds must come in ascending order.
    public void append(int kind, byte[] from, int offset, int length) {
        if (count > 0 && kinds[count - 1] >= kind) {
            throw new IllegalArgumentException("part " + kind + " after " + kinds[count - 1]);
        }
        insert(count, kind, from, offset, length);
    }

    /// Makes these bytes the part of a kind.
    public void put(int kind, byte[] from, int offset, int length) {
        int position = find(kind);
        if (position < 0) {
            insert(-position - 1, kind, from, offset, length);
            return;
        }
        int begin = offset(position);
        resize(position, length - (ends[position] - begin));
        System.arraycopy(from, offset, bytes, begin, length);
    }

    private void insert(int position, int kind, byte[] from, int offset, int length) {
        if (count == kinds.length) {
            kinds = Arrays.copyOf(kinds, 2 * count);
            ends = Arrays.copyOf(ends, 2 * count);
        }
        int begin = offset(position);
        System.arraycopy(kinds, position, kinds, position + 1, count - position);
        System.arraycopy(ends, position, ends, position + 1, count - position);
        kinds[position] = kind;
        ends[position] = begin;
        count++;
        resize(position, length);
        System.arraycopy(from, offset, bytes, begin, length);
    }

    /// Makes the part at `position` longer by `more`, which may be negative, and moves those behind it.
    private void resize(int position, int more) {
        int used = ends[count - 1];
        int behind = ends[position];
        if (used + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(used + more, 2 * bytes.length));
        }
        System.arraycopy(bytes, behind, bytes, behind + more, used - behind);
        for (int i = position; i < count; i++) {
            ends[i] += more;
        }
    }

    void copyFrom(Parts other) {
        count = 0;
        for (int i = 0; i < other.count; i++) {
            insert(i, other.kinds[i], other.bytes, other.offset(i), other.length(i));
        }
    }

    /// Takes the larger part of each kind. Returns whether any is new.
    boolean merge(Parts other) {
        boolean changed = false;
        for (int i = 0; i < other.count; i++) {
            if (isBelow(other, i)) {
                put(other.kinds[i], other.bytes, other.offset(i), other.length(i));
                changed = true;
            }
        }
        return changed;
    }

    /// Whether the part of the same kind here, if there is any, is smaller than that of `other` at `position`.
    boolean isBelow(Parts other, int position) {
        int mine = find(other.kinds[position]);
        return mine < 0
                || Arrays.compareUnsigned(
                                bytes,
                                offset(mine),
                                ends[mine],
                                other.bytes,
                                other.offset(position),
                                other.ends[position])
                        < 0;
    }

    boolean sameAs(Parts other) {
        int used = count == 0 ? 0 : ends[count - 1];
        return count == other.count
                && Arrays.equals(kinds, 0, count, other.kinds, 0, count)
                && Arrays.equals(ends, 0, count, other.ends, 0, count)
                && Arrays.equals(bytes, 0, used, other.bytes, 0, used);
    }
}
