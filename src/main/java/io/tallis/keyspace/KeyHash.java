package io.tallis.keyspace;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// A 64-bit hash of bytes under a secret of 256 bits: two words at a time are multiplied and both halves of the product
/// folded together. Bytes that collide cannot be chosen without the secret.
final class KeyHash {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long head;
    private final long body;
    private final long tail;
    private final long end;

    KeyHash(long head, long body, long tail, long end) {
        this.head = head;
        this.body = body;
        this.tail = tail;
        this.end = end;
    }

    long of(byte[] bytes, int offset, int length) {
        long hash = head ^ length;
        int at = offset;
        int left = length;
        while (left > 16) {
            hash = fold((long) LONG.get(bytes, at) ^ body, (long) LONG.get(bytes, at + 8) ^ hash);
            at += 16;
            left -= 16;
        }
        long first;
        long last;
        if (left >= 8) {
            first = (long) LONG.get(bytes, at);
            last = (long) LONG.get(bytes, at + left - 8);
        } else if (left >= 4) {
            first = (int) INT.get(bytes, at);
            last = (int) INT.get(bytes, at + left - 4);
        } else {
            first = threeOf(bytes, at, left);
            last = 0;
        }
        return fold(fold(first ^ tail, last ^ hash), end ^ length);
    }

    /// The first, the middle and the last of one to three bytes.
    private static long threeOf(byte[] bytes, int at, int length) {
        long first = bytes[at] & 0xFF;
        long middle = bytes[at + (length >> 1)] & 0xFF;
        long last = bytes[at + length - 1] & 0xFF;
        return (first << 16) | (middle << 8) | last;
    }

    private static long fold(long left, long right) {
        return left * right ^ Math.unsignedMultiplyHigh(left, right);
    }
}
