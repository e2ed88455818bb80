package io.tallis.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.ReplicaId;
import org.junit.jupiter.api.Test;

final class SessionsTest {
    private static final ReplicaId SELF = new ReplicaId(1, 1);
    private static final Known SOME = new Known(5, 1);

    private final Peers peers = new Peers(SELF);
    private final Sessions sessions = new Sessions(SELF, peers, 0, _ -> false);

    @Test
    void sessions_whenFull_ignoreUnknownOnesInVectors() {
        Vector told = new Vector();
        told.raise(absent(-1), SOME);
        boolean coveredBefore = sessions.isMerged(told);
        fill();

        sessions.advanceTo(told);

        assertThat(coveredBefore).isFalse();
        assertThat(sessions.isMerged(told)).isTrue();
        assertThat(sessions.all())
                .hasSize(Sessions.MOST)
                .noneMatch(each -> each.session().equals(absent(-1)));
    }

    @Test
    void sessions_whenFull_advanceKnownOnes() {
        fill();
        Vector told = new Vector();
        told.raise(absent(7), SOME);
        boolean coveredBefore = sessions.isMerged(told);

        sessions.advanceTo(told);

        assertThat(coveredBefore).isFalse();
        assertThat(sessions.known(absent(7))).isEqualTo(SOME);
    }

    @Test
    void newSession_whenFull_replacesTheOldestUnreachableOne() {
        fill();
        ReplicaId newcomer = new ReplicaId(3, 3);

        sessions.progress(newcomer);

        assertThat(sessions.all())
                .hasSize(Sessions.MOST)
                .anyMatch(each -> each.session().equals(newcomer));
        assertThat(sessions.all()).noneMatch(each -> each.session().equals(absent(0)));
    }

    private void fill() {
        for (int i = 0; i < Sessions.MOST; i++) {
            sessions.progress(absent(i));
        }
    }

    @Test
    void hashOfUnreachable_ofMergedChanges_changesWhenTheyAreDurable() {
        Progress progress = sessions.progress(absent(1));
        reach(0);
        long nothing = sessions.hashOfUnreachable();
        journalled(progress, SOME);
        long whileReachable = sessions.hashOfUnreachable();

        peers.removeUnreachable(peers.boundNanos() + 1, false);
        sessions.reachabilityChanged();

        assertThat(whileReachable).isEqualTo(nothing);
        assertThat(sessions.durableOfUnreachable().of(absent(1))).isEqualTo(SOME);
        journalled(progress, new Known(6, 1));
        assertThat(sessions.durableOfUnreachable().of(absent(1))).isEqualTo(new Known(6, 1));
        assertThat(sessions.hashOfUnreachable())
                .isEqualTo(sessions.durableOfUnreachable().hash());
    }

    private void reach(long now) {
        peers.onFrame(absent(1), 0, now);
        sessions.reachabilityChanged();
    }

    private void journalled(Progress progress, Known known) {
        progress.onDurable(known);
        sessions.onDurable(progress);
    }

    private static ReplicaId absent(int number) {
        return new ReplicaId(2, number);
    }
}
