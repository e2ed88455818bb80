package io.tallis.command;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Bytes that are compared by what they are: a key, the name of a channel.
public final class ByteString {
    private final byte[] bytes;

    public ByteString(byte[] bytes) {
        this.bytes = bytes;
    }

    /// Not to be changed.
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
