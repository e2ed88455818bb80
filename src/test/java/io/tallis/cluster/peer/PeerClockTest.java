package io.tallis.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.records.NodeGen;
import io.tallis.cluster.records.Self;
import org.junit.jupiter.api.Test;

final class PeerClockTest {
    private static final long START = 1_764_000_000_000L;

    private final Peer peer = new Peer(NodeGen.session(2), 0);
    private int beats;

    @Test
    void clockAhead_whenBeatsTakeDifferentlyLong_isThatOfTheFastest() {
        beat(3_000, 40);
        beat(3_000, 2);
        beat(3_000, 900);

        assertThat(peer.clockStart()).isEqualTo(START + 2_998);
    }

    @Test
    void clockAhead_afterThePeersClockWasSet_followsWithinTwoWindows() {
        for (int i = 0; i < 20; i++) {
            beat(3_000, 1);
        }
        for (int i = 0; i < 32; i++) {
            beat(-500, 1);
        }

        assertThat(peer.clockStart()).isEqualTo(START - 501);
    }

    /// A beat of a peer whose clock is so far ahead, which takes so long.
    private void beat(long aheadMillis, long millis) {
        long here = 200L * beats;
        assertThat(peer.take(
                        new Beat(
                                1,
                                false,
                                ++beats,
                                START + here + aheadMillis,
                                0,
                                JoinState.READY,
                                Standing.NONE,
                                new Self(NodeGen.uuid(2), "south", ""),
                                0,
                                0,
                                0,
                                FoldNews.NONE,
                                PurgeNews.NONE,
                                Vitals.NONE,
                                new Vector()),
                        here + millis))
                .isTrue();
    }
}
