package io.tallis.command;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Bytes with value equality, for keys of a map: a key, the name of a channel.
public final class ByteString {
    private final byte[] bytes;

    public ByteString(byte[] bytes) {
        this.bytes = bytes;
    }

    /// The bytes, which the caller must not modify.
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ByteString name && Arrays.equals(bytes, name.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }
}
