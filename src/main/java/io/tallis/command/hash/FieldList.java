package io.tallis.command.hash;

import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.crdt.Cell;
import io.tallis.keyspace.Score;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Names or values of fields, copied under the lock of their hash, to be replied after it.
final class FieldList {
    /// The most bytes of one reply, and their share of the heap: every event loop may make one.
    private static final long MOST_BYTES = 48L << 20;

    private static final int HEAP_SHARE = 32;
    private static final int HEAD = Integer.BYTES;
    private static final int ENOUGH_BYTES = 1 << 20;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /// The length of each string, and its bytes.
    private byte[] bytes = new byte[256];

    private int end;
    private int count;

    /// Adds the name of a field, its value, or both.
    void add(byte[] array, int offset, int length, Cell cell, boolean names, boolean values) {
        if (names) {
            add(array, offset, length);
        }
        if (values && cell.hasText()) {
            add(cell.parts().array(), cell.textOffset(), cell.textLength());
        } else if (values) {
            byte[] digits = Long.toString(cell.value()).getBytes(StandardCharsets.US_ASCII);
            add(digits, 0, digits.length);
        }
    }

    /// Adds a string.
    void add(byte[] array, int offset, int length) {
        int needed = end + HEAD + length;
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
        }
        INT.set(bytes, end, length);
        System.arraycopy(array, offset, bytes, end + HEAD, length);
        end = needed;
        count++;
    }

    void addAll(FieldList others) {
        if (end + others.end > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end + others.end, 2 * bytes.length));
        }
        System.arraycopy(others.bytes, 0, bytes, end, others.end);
        end += others.end;
        count += others.count;
    }

    /// Refuses a reply that is too large.
    void requireBounded() {
        if (end > Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / HEAP_SHARE)) {
            throw new CommandError("ERR the hash is too large for one reply, use HSCAN");
        }
    }

    /// Whether a step of an iteration has found enough.
    boolean isLarge() {
        return end >= ENOUGH_BYTES;
    }

    int count() {
        return count;
    }

    /// Copies of all strings.
    List<byte[]> strings() {
        List<byte[]> strings = new ArrayList<>(count);
        for (int at = 0; at < end; at += HEAD + (int) INT.get(bytes, at)) {
            int start = at + HEAD;
            strings.add(Arrays.copyOfRange(bytes, start, start + (int) INT.get(bytes, at)));
        }
        return strings;
    }

    /// Replies all, one string after the other.
    void answer(Reply reply) {
        int at = 0;
        for (int i = 0; i < count; i++) {
            at = answer(at, reply);
        }
    }

    /// Replies names and values as pairs.
    void answerPairs(Reply reply) {
        int at = 0;
        for (int i = 0; i < count; i += 2) {
            reply.array(2);
            at = answer(answer(at, reply), reply);
        }
    }

    /// Replies names and values as pairs, and values that are numbers as scores.
    void answerScored(Reply reply) {
        int at = 0;
        for (int i = 0; i < count; i += 2) {
            reply.array(2);
            at = answerScore(answer(at, reply), reply);
        }
    }

    private int answerScore(int at, Reply reply) {
        int start = at + HEAD;
        int length = (int) INT.get(bytes, at);
        Score score = Numbers.isSigned(bytes, start, length)
                ? Score.of(Numbers.signed(bytes, start, length))
                : Score.ofText(bytes, start, length);
        if (score == null) {
            return answer(at, reply);
        }
        reply.score(score);
        return start + length;
    }

    /// Replies the string at a position, 0 for the first. Returns the position of the next.
    int answer(int at, Reply reply) {
        int length = (int) INT.get(bytes, at);
        reply.bulk(bytes, at + HEAD, length);
        return at + HEAD + length;
    }
}
