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
/// the
/// clock of one machine is wrong.
///
/// Of three nodes and more the median is right: a node whose clock differs from it by more than the skew takes that. Of
/// two that differ nothing tells which is right, and neither does a clock that jumps on a node which reaches no other:
/// the
/// time goes on as before, until the clocks agree or a third node is there. A node that does not serve yet believes
/// those
/// that do. Before it has heard of any, nothing ends.
///
/// All clocks are compared as what they told when this process began to count monotonic time, so that a jump of one is
/// no
/// jump of the others. Belongs to the replicator's thread.
final class TimeOfDay {
    private static final int LEAST_FOR_A_MEDIAN = 3;
    private static final double MILLIS_PER_SECOND = 1000;
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final Peers peers;
    private final Expiry expiry;
    private final LongSupplier epochMillis;
    private final LongConsumer decide;
    private final Event.Sink events;
    private long monotonicMillis;
    private long decided = UNKNOWN;
    private boolean corrects;

    /// `epochMillis` is the time by the clock of this machine. `decide` is told what the time of day was when monotonic
    /// time
    /// began.
    TimeOfDay(Peers peers, Expiry expiry, LongSupplier epochMillis, LongConsumer decide, Event.Sink events) {
        this.peers = peers;
        this.expiry = expiry;
        this.epochMillis = epochMillis;
        this.decide = decide;
        this.events = events;
        expiry.waitsForTime(true);
    }

    /// Monotonic time goes on.
    void advanceTo(long nanos) {
        monotonicMillis = TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    long monotonicMillis() {
        return monotonicMillis;
    }

    /// What this machine's clock told at the beginning.
    private long own() {
        return epochMillis.getAsLong() - monotonicMillis;
    }

    /// How far the clock of a peer's machine is ahead of this one's.
    long aheadMillis(Peer peer) {
        return peer.clockStart() - own();
    }

    /// Compares the clocks.
    void step(boolean serves) {
        long own = own();
        LongStream others =
                peers.withBeat().filter(peer -> serves || peer.serves()).mapToLong(Peer::clockStart);
        long[] clocks = (serves ? LongStream.concat(others, LongStream.of(own)) : others)
                .sorted()
                .toArray();
        if (clocks.length == 0) {
            return;
        }
        long median = clocks[(clocks.length - 1) / 2];
        boolean agree = !Expiry.isBeyondSkew(clocks[clocks.length - 1] - clocks[0]);
        if (!serves || clocks.length >= LEAST_FOR_A_MEDIAN) {
            decide(near(own, median), own);
        } else if (decided == UNKNOWN || (agree && clocks.length > 1)) {
            decide(own, own);
        } else {
            decide(near(own, decided), own);
        }
        if (serves) {
            expiry.waitsForTime(false);
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
