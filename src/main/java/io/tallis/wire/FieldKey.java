package io.tallis.wire;

/// The key of a cell that is a field of a hash: it names both.
///
/// ```
/// key    length of the name (varint, 1 to 65535) | name of the hash | field, which may be empty
/// ```
///
/// So the fields of one hash share a prefix that no other hash's have.
public final class FieldKey {
    private static final int MOST_HEAD = 3;

    private FieldKey() {}

    /// Whether these bytes are such a key, with the shortest form of its length.
    public static boolean isWellFormed(byte[] bytes, int offset, int length) {
        int head = 1;
        while (head <= length && bytes[offset + head - 1] < 0) {
            head++;
        }
        if (head > Math.min(length, MOST_HEAD) || (head > 1 && bytes[offset + head - 1] == 0)) {
            return false;
        }
        int name = nameLength(bytes, offset);
        return name > 0 && name <= length - head;
    }

    /// Where the name begins in a well-formed key.
    public static int nameOffset(byte[] bytes, int offset) {
        int at = offset;
        while (bytes[at] < 0) {
            at++;
        }
        return at + 1;
    }

    /// How long the name is in a well-formed key.
    public static int nameLength(byte[] bytes, int offset) {
        int length = 0;
        int shift = 0;
        int at = offset;
        while (bytes[at] < 0) {
            length |= (bytes[at++] & 0x7F) << shift;
            shift += 7;
        }
        return length | bytes[at] << shift;
    }

    /// How many bytes there are before the field, for a name of so many bytes.
    public static int prefixLength(int nameLength) {
        return (nameLength < 1 << 7 ? 1 : nameLength < 1 << 14 ? 2 : MOST_HEAD) + nameLength;
    }

    /// Writes what comes before the field at the beginning of `out`. Returns how long that is.
    public static int writePrefix(byte[] name, int offset, int length, byte[] out) {
        int at = 0;
        int left = length;
        while (left >= 1 << 7) {
            out[at++] = (byte) (left | 1 << 7);
            left >>>= 7;
        }
        out[at++] = (byte) left;
        System.arraycopy(name, offset, out, at, length);
        return at + length;
    }
}
