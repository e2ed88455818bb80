package io.tallis.crdt;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// What a token says of the increment that it stands for, as a part of its cell: by which session it was made, and the
/// totals of that session in the counter afterwards. So every node can tell whether its copy of the counter has the
/// increment.
///
/// ```
/// token   time of day (8) | amount (8) | replica id (16) | p (8) | n (8)       all big-endian
/// ```
///
/// Where two nodes have made the increment, [Parts] keep the later one.
public final class Token {
    /// How many bytes it has.
    public static final int LENGTH = 48;

    private static final int AMOUNT_AT = 8;
    private static final int ID_AT = 16;
    private static final int P_AT = 32;
    private static final int N_AT = 40;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Token() {}

    /// Writes the token of an increment by `amount` that `session` has just made in `counter`.
    public static void write(long epochMillis, long amount, Replicas replicas, Counter counter, byte[] out) {
        int own = counter.find(Replicas.OWN);
        LONG.set(out, 0, epochMillis);
        LONG.set(out, AMOUNT_AT, amount);
        LONG.set(out, ID_AT, replicas.own().high());
        LONG.set(out, ID_AT + Long.BYTES, replicas.own().low());
        LONG.set(out, P_AT, total(counter, own, Counter.P));
        LONG.set(out, N_AT, total(counter, own, Counter.N));
    }

    /// The total, or 2^64-1 if it is more.
    private static long total(Counter counter, int shard, int total) {
        return counter.high(shard, total) != 0 ? -1L : counter.low(shard, total);
    }

    /// When the increment was made, in milliseconds since 1970 by the clock of its node.
    public static long epochMillis(Parts parts, int token) {
        return number(parts, token, 0);
    }

    /// What was added.
    public static long amount(Parts parts, int token) {
        return number(parts, token, AMOUNT_AT);
    }

    /// The session that has made the increment.
    public static ReplicaId session(Parts parts, int token) {
        return new ReplicaId(number(parts, token, ID_AT), number(parts, token, ID_AT + Long.BYTES));
    }

    /// Whether this copy of the counter has the increment. One whose session was folded is everywhere.
    public static boolean isIn(Counter counter, Parts parts, int token, Replicas replicas) {
        int session = replicas.numberOf(session(parts, token));
        return replicas.foldOf(session) != Replicas.OWN
                || !counter.lags(session, number(parts, token, P_AT), number(parts, token, N_AT));
    }

    private static long number(Parts parts, int token, int at) {
        return (long) LONG.get(parts.array(), parts.offset(token) + at);
    }
}
