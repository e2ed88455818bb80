package io.tallis.keyspace;

import io.tallis.crdt.CounterType;
import io.tallis.wire.FieldKey;
import java.util.Arrays;

/// The name of a counter: a view of 1 to 65,535 bytes in some array.
///
/// That of a field of a hash is a [FieldKey], and that of a token is made like one. It belongs to the partition of the
/// hash, or of the token's counter.
///
/// Reused from request to request. A keyspace stores its hashes of the key in it, so that they are computed once; a key
/// must not go from one keyspace to another. Not thread-safe.
public final class Key {
    private byte[] array = new byte[0];
    private int offset;
    private int length;

    /// Whether this is the key of a field, or of a token.
    private boolean isField;

    private long place;
    private long probe;
    private boolean placed;

    /// A key that can be kept.
    public static Key of(byte[] bytes) {
        return new Key().set(bytes, 0, bytes.length);
    }

    /// A key of a cell of this type that can be kept.
    public static Key of(CounterType type, byte[] bytes) {
        return new Key().set(type, bytes, 0, bytes.length);
    }

    /// Views these bytes from now on, the key of a cell of this type.
    public Key set(CounterType type, byte[] array, int offset, int length) {
        set(array, offset, length);
        isField = !type.isKey();
        return this;
    }

    /// Views these bytes from now on, which are a key to clients.
    public Key set(byte[] array, int offset, int length) {
        this.array = array;
        this.offset = offset;
        this.length = length;
        isField = false;
        placed = false;
        return this;
    }

    public byte[] array() {
        return array;
    }

    public int offset() {
        return offset;
    }

    public int length() {
        return length;
    }

    /// The name under which clients know a cell of this type and key: of a field that of its hash.
    public byte[] name(CounterType type) {
        if (type.isKey()) {
            return toByteArray();
        }
        int from = FieldKey.nameOffset(array, offset);
        return Arrays.copyOfRange(array, from, from + FieldKey.nameLength(array, offset));
    }

    public byte[] toByteArray() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    boolean equalTo(byte[] other, int from) {
        return Arrays.equals(array, offset, offset + length, other, from, from + length);
    }

    boolean equalTo(byte[] other) {
        return other.length == length && equalTo(other, 0);
    }

    void place(KeyHash places, KeyHash probes) {
        if (!placed) {
            place = places.of(array, offset, length);
            if (isField) {
                place = withPartitionOfName(places);
            }
            probe = probes.of(array, offset, length);
            placed = true;
        }
    }

    /// The fields of a hash are in one partition, and spread over its leaves.
    private long withPartitionOfName(KeyHash places) {
        long name = places.of(array, FieldKey.nameOffset(array, offset), FieldKey.nameLength(array, offset));
        long rest = -1L >>> Keyspace.PARTITION_BITS;
        return (name & ~rest) | (place & rest);
    }

    /// Views the name of the hash that `field` is a field of.
    Key setToName(Key field) {
        return set(
                field.array,
                FieldKey.nameOffset(field.array, field.offset),
                FieldKey.nameLength(field.array, field.offset));
    }

    /// The hash that all nodes agree on; its upper bits name the partition.
    long place() {
        return place;
    }

    /// The hash under this process's secret, which decides where in its partition the key stands.
    long probe() {
        return probe;
    }

    /// The bits of that hash that say where the key stands.
    int hash() {
        return (int) (probe >>> Integer.SIZE);
    }
}
