package io.tallis.script;

import io.tallis.runtime.Randomness;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A string: any bytes.
public final class LuaString implements LuaValue {
    public static final LuaString EMPTY = new LuaString(new byte[0]);

    /// Mixed into every hash. Scripts could else choose strings that all have the same hash, and make look-ups slow.
    private static final long SEED = Randomness.secure().nextLong() | 1;

    private final byte[] bytes;
    private int hash;

    private LuaString(byte[] bytes) {
        this.bytes = bytes;
    }

    /// The array is not copied, and must not be changed any more.
    public static LuaString of(byte[] bytes) {
        return bytes.length == 0 ? EMPTY : new LuaString(bytes);
    }

    public static LuaString of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /// The bytes themselves, which must not be changed.
    public byte[] bytes() {
        return bytes;
    }

    public int length() {
        return bytes.length;
    }

    public LuaString part(int from, int to) {
        return from == 0 && to == bytes.length ? this : of(Arrays.copyOfRange(bytes, from, to));
    }

    @Override
    public String typeName() {
        return "string";
    }

    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof LuaString string && Arrays.equals(bytes, string.bytes));
    }

    @Override
    public int hashCode() {
        if (hash == 0) {
            long mixed = SEED ^ bytes.length;
            for (byte letter : bytes) {
                mixed = (mixed ^ letter) * SEED;
                mixed ^= mixed >>> 29;
            }
            hash = (int) (mixed >>> 32) | 1;
        }
        return hash;
    }

    /// What C takes for the text: all before the first zero byte.
    public LuaString beforeZero() {
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return end == bytes.length ? this : part(0, end);
    }

    /// The bytes as UTF-8, for messages.
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
