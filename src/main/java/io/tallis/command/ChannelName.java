package io.tallis.command;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The bytes of a channel's name, or of a pattern of names.
public final class ChannelName {
    private final byte[] bytes;

    public ChannelName(byte[] bytes) {
        this.bytes = bytes;
    }

    /// Not to be changed.
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ChannelName name && Arrays.equals(bytes, name.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }
}
