package io.tallis.cluster;

import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Peers;
import io.tallis.cluster.records.Event;
import io.tallis.keyspace.Expiry;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/// Decides what time of day it is, so that no counter ends too early, or is given a deadline that has passed, because
/// the clock of one machine is wrong.
///
/// Of three nodes and more the median is right: a node whose clock differs from it by more than the skew takes that. Of
/// two that differ nothing tells which is right, and neither does a clock that jumps on a node which reaches no other:
/// the time goes on as before, until the clocks agree or a third node is there. A node that does not serve yet takes
/// the time that those go by that do; if none does, the median of three. Before that, nothing ends by itself. A node
/// that knows no other believes its clock.
///
/// All clocks are compared as what they told when this process began to count monotonic time, so that a jump of one is
/// no jump of the others. Belongs to the replicator's thread.
final class TimeOfDay {
    private static final int LEAST_FOR_A_MEDIAN = 3;
    private static final double MILLIS_PER_SECOND = 1000;
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final Peers peers;
    private final Expiry expiry;
    private final LongSupplier nanos;
    private final LongSupplier epochMillis;
    private final LongConsumer decide;
    private final Event.Sink events;
    private long decided = UNKNOWN;
    private boolean corrects;

    /// `nanos` is monotonic time, `epochMillis` the time by the clock of this machine. `decide` is told what the time
    /// of day was when monotonic time began.
    TimeOfDay(
            Peers peers,
            Expiry expiry,
            LongSupplier nanos,
            LongSupplier epochMillis,
            LongConsumer decide,
            Event.Sink events) {
        this.peers = peers;
        this.expiry = expiry;
        this.nanos = nanos;
        this.epochMillis = epochMillis;
        this.decide = decide;
        this.events = events;
        expiry.waitsForTime(true);
    }

    long monotonicMillis() {
        return TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong());
    }

    /// What this machine's clock told at the beginning.
    private long own() {
        return epochMillis.getAsLong() - monotonicMillis();
    }

    /// How far the clock of a peer's machine is ahead of this one's.
    long aheadMillis(Peer peer) {
        return peer.clockStart() - own();
    }

    /// What this node adds to the time of its machine's clock.
    long correctionMillis() {
        return decided == UNKNOWN ? 0 : decided - own();
    }

    /// Compares the clocks. `knowsNone` is whether this node knows of no other node, reachable or not.
    void step(boolean serves, boolean knowsNone) {
        long own = own();
        long[] clocks = serves ? clocks(own) : times(own);
        if (clocks.length > 0) {
            compare(own, clocks, serves, knowsNone);
        }
        if (serves) {
            expiry.waitsForTime(false);
        }
    }

    private long[] clocks(long own) {
        return LongStream.concat(peers.withBeat().mapToLong(Peer::clockStart), LongStream.of(own))
                .sorted()
                .toArray();
    }

    /// For a node that does not serve: what those go by that do, or if there are none, enough clocks for a median.
    private long[] times(long own) {
        long[] times = peers.withBeat()
                .filter(Peer::serves)
                .mapToLong(Peer::timeStart)
                .sorted()
                .toArray();
        long[] clocks = times.length > 0 ? times : clocks(own);
        return times.length > 0 || clocks.length >= LEAST_FOR_A_MEDIAN ? clocks : new long[0];
    }

    private void compare(long own, long[] clocks, boolean serves, boolean knowsNone) {
        long median = clocks[(clocks.length - 1) / 2];
        boolean agree = !Expiry.isBeyondSkew(clocks[clocks.length - 1] - clocks[0]);
        if (!serves || clocks.length >= LEAST_FOR_A_MEDIAN) {
            decide(near(own, median), own);
        } else if (decided == UNKNOWN || (knowsNone && clocks.length == 1) || (agree && clocks.length > 1)) {
            decide(own, own);
        } else {
            decide(near(own, decided), own);
        }
    }

    private static long near(long own, long right) {
        return Expiry.isBeyondSkew(own - right) ? right : own;
    }

    private void decide(long start, long own) {
        if (start != decided) {
            decided = start;
            decide.accept(start);
        }
        boolean isWrong = Expiry.isBeyondSkew(own - start);
        if (isWrong != corrects) {
            corrects = isWrong;
            events.record(
                    isWrong
                            ? "does not believe its machine's clock, which is %.1f s off. Set it, by NTP"
                                    .formatted((own - start) / MILLIS_PER_SECOND)
                            : "believes its machine's clock again");
        }
    }
}
