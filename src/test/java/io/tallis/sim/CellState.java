package io.tallis.sim;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.Replicas;
import java.util.Arrays;
import java.util.BitSet;

/// A state of a counter: p, n, rp and rn of each session, and the register. Immutable.
///
/// Plain arithmetic, independent of the product's, for numbers far below 2^63.
final class CellState {
    static final CellState NOTHING = new CellState(new long[0], Assigned.NEVER);

    private static final int TOTALS = 4;
    private static final int[] READ = {Counter.P, Counter.N, Counter.RP, Counter.RN};

    private final long[] totals;
    private final Assigned assigned;

    private CellState(long[] totals, Assigned assigned) {
        this.totals = totals;
        this.assigned = assigned;
    }

    /// The state of a counter of the product.
    static CellState of(CellName name, Cell counter, Replicas replicas, SessionNumbers sessions) {
        long[] totals = NOTHING.totals;
        for (int shard = 0; shard < counter.counts().shards(); shard++) {
            int session = sessions.numberOf(replicas.id(counter.counts().replica(shard)));
            int at = TOTALS * session;
            totals = Arrays.copyOf(totals, Math.max(totals.length, at + TOTALS));
            for (int total = 0; total < TOTALS; total++) {
                totals[at + total] =
                        counter.counts().low(shard, READ[total]) - sessions.floor(name, session, total % 2 == 0);
                if (counter.counts().high(shard, READ[total]) != 0 || totals[at + total] < 0) {
                    throw new Violation("a total beyond all that was counted");
                }
            }
        }
        return new CellState(totals, Assigned.of(counter));
    }

    /// One more than the largest session that has a shard.
    int sessions() {
        return totals.length / TOTALS;
    }

    private long total(int session, int total) {
        int at = TOTALS * session + total;
        return at < totals.length ? totals[at] : 0;
    }

    boolean hasShard(int session) {
        return p(session) > 0 || n(session) > 0;
    }

    long p(int session) {
        return total(session, 0);
    }

    long n(int session) {
        return total(session, 1);
    }

    long rp(int session) {
        return total(session, 2);
    }

    long rn(int session) {
        return total(session, 3);
    }

    /// The shards of some sessions, without the register.
    CellState only(BitSet sessions) {
        long[] some = new long[totals.length];
        for (int session = sessions.nextSetBit(0); session >= 0; session = sessions.nextSetBit(session + 1)) {
            int length = Math.min(TOTALS, totals.length - TOTALS * session);
            if (length > 0) {
                System.arraycopy(totals, TOTALS * session, some, TOTALS * session, length);
            }
        }
        return new CellState(some, Assigned.NEVER);
    }

    CellState without(int session) {
        long[] others = totals.clone();
        Arrays.fill(others, TOTALS * session, TOTALS * session + TOTALS, 0);
        return new CellState(others, assigned);
    }

    /// What some sessions counted here, with what is reset of it in `other`.
    CellState withResetsOf(CellState other) {
        long[] mixed = Arrays.copyOf(totals, Math.max(totals.length, other.totals.length));
        for (int at = 0; at < mixed.length; at += TOTALS) {
            mixed[at + 2] = other.total(at / TOTALS, 2);
            mixed[at + 3] = other.total(at / TOTALS, 3);
        }
        return new CellState(mixed, assigned);
    }

    /// Whether nothing is reset beyond what was counted.
    boolean isPossible() {
        for (int session = 0; session < sessions(); session++) {
            if (rp(session) > p(session) || rn(session) > n(session)) {
                return false;
            }
        }
        return true;
    }

    /// Whether no session has counted more here than in `other`.
    boolean countsAreWithin(CellState other) {
        for (int session = 0; session < sessions(); session++) {
            if (p(session) > other.p(session) || n(session) > other.n(session)) {
                return false;
            }
        }
        return true;
    }

    /// The sums of all sessions' p, n, rp and rn.
    long[] sums() {
        long[] sums = new long[TOTALS];
        for (int at = 0; at < totals.length; at++) {
            sums[at % TOTALS] += totals[at];
        }
        return sums;
    }

    CellState plus(int session, long up, long down) {
        long[] raised = Arrays.copyOf(totals, Math.max(totals.length, TOTALS * session + TOTALS));
        raised[TOTALS * session] += up;
        raised[TOTALS * session + 1] += down;
        return new CellState(raised, assigned);
    }

    Assigned assigned() {
        return assigned;
    }

    CellState assign(Assigned next) {
        return new CellState(totals, next);
    }

    /// The shard of one session, without the register.
    CellState of(int session) {
        long[] one = new long[TOTALS * session + TOTALS];
        for (int total = 0; total < TOTALS; total++) {
            one[TOTALS * session + total] = total(session, total);
        }
        return new CellState(one, Assigned.NEVER);
    }

    CellState reset() {
        long[] reset = totals.clone();
        for (int at = 0; at < reset.length; at += TOTALS) {
            reset[at + 2] = reset[at];
            reset[at + 3] = reset[at + 1];
        }
        return new CellState(reset, assigned.reset());
    }

    /// Whether the counter exists for a reader.
    boolean exists() {
        return !equals(reset());
    }

    boolean covers(CellState other) {
        for (int at = 0; at < other.totals.length; at++) {
            if (other.totals[at] > (at < totals.length ? totals[at] : 0)) {
                return false;
            }
        }
        return assigned.compareTo(other.assigned) >= 0;
    }

    /// Whether this contains all resets and assignments of `other`, or later ones.
    boolean coversResetsOf(CellState other) {
        for (int session = 0; session < other.sessions(); session++) {
            if (other.rp(session) > rp(session) || other.rn(session) > rn(session)) {
                return false;
            }
        }
        return assigned.compareTo(other.assigned) >= 0;
    }

    CellState join(CellState other) {
        long[] joined = Arrays.copyOf(totals, Math.max(totals.length, other.totals.length));
        for (int at = 0; at < other.totals.length; at++) {
            joined[at] = Math.max(joined[at], other.totals[at]);
        }
        return new CellState(joined, assigned.compareTo(other.assigned) >= 0 ? assigned : other.assigned);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CellState state && covers(state) && state.covers(this);
    }

    @Override
    public int hashCode() {
        int hash = 0;
        for (int at = 0; at < totals.length; at++) {
            hash += Long.hashCode(totals[at]) * (at + 1);
        }
        return hash + assigned.hashCode();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int session = 0; session < sessions(); session++) {
            long[] shard = Arrays.copyOfRange(totals, TOTALS * session, TOTALS * session + TOTALS);
            if (Arrays.stream(shard).anyMatch(total -> total != 0)) {
                text.append(session).append(Arrays.toString(shard)).append(' ');
            }
        }
        text.append(assigned);
        return text.isEmpty() ? "nothing" : text.toString().strip();
    }
}
