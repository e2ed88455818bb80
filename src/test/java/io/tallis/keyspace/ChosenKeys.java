package io.tallis.keyspace;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// Keys of one length in one partition, as an attacker would choose them: the place hash is public, and a block that
/// begins with the hash's own word makes it forget all that came before.
public final class ChosenKeys {
    private static final long FORGET = 0xC2B2AE3D27D4EB4FL;
    private static final int BLOCK = 16;
    private static final int LEAST_LENGTH = 4 * BLOCK;

    private final int length;
    private int tail;

    /// Keys of `length` bytes, at least 64, in that partition.
    public ChosenKeys(Keyspace keyspace, int partition, int length) {
        if (length < LEAST_LENGTH) {
            throw new IllegalArgumentException("no room for what makes a key chosen: " + length);
        }
        this.length = length;
        while (keyspace.partitionOf(key(0)) != partition) {
            tail++;
        }
    }

    public Key key(int number) {
        byte[] bytes = new byte[length];
        ByteBuffer.wrap(bytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0, number)
                .putLong((length / BLOCK - 2) * BLOCK, FORGET)
                .putInt(length - Integer.BYTES, tail);
        return Key.of(bytes);
    }
}
