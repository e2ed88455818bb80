package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.ReplicaId;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SessionsTest {
    private static final long BEAT = Beats.intervalNanos(2);
    private static final ReplicaId SELF = new ReplicaId(1, 1);
    private static final Known SOME = new Known(5, 1);

    private final Sessions sessions = new Sessions(SELF, 0);

    @Test
    void sessions_whenFull_passOverWhatIsToldOfUnknownOnes() {
        Vector told = new Vector();
        told.raise(absent(-1), SOME);
        boolean coveredBefore = sessions.covers(told);
        fill();

        sessions.reached(told);

        assertThat(coveredBefore).isFalse();
        assertThat(sessions.covers(told)).isTrue();
        assertThat(sessions.all())
                .hasSize(Sessions.MOST)
                .noneMatch(each -> each.session().equals(absent(-1)));
    }

    @Test
    void sessions_whenFull_takeNoteOfThoseTheyKnow() {
        fill();
        Vector told = new Vector();
        told.raise(absent(7), SOME);
        boolean coveredBefore = sessions.covers(told);

        sessions.reached(told);

        assertThat(coveredBefore).isFalse();
        assertThat(sessions.known(absent(7))).isEqualTo(SOME);
    }

    @Test
    void newcomer_whenFull_takesThePlaceOfTheOldestThatIsAbsent() {
        fill();
        ReplicaId newcomer = new ReplicaId(3, 3);

        sessions.view(List.of(SELF, newcomer), 0);

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
    void hashOfAbsent_isThatOfWhatTheJournalHasOfThem() {
        Progress progress = sessions.progress(absent(1));
        sessions.view(List.of(SELF, absent(1)), 0);
        long nothing = sessions.hashOfAbsent();
        journalled(progress, SOME);
        long whilePresent = sessions.hashOfAbsent();

        sessions.view(List.of(SELF), 1);

        assertThat(whilePresent).isEqualTo(nothing);
        assertThat(sessions.hasOfAbsent().of(absent(1))).isEqualTo(SOME);
        journalled(progress, new Known(6, 1));
        assertThat(sessions.hasOfAbsent().of(absent(1))).isEqualTo(new Known(6, 1));
        assertThat(sessions.hashOfAbsent()).isEqualTo(sessions.hasOfAbsent().hash());
    }

    private void journalled(Progress progress, Known known) {
        progress.journalled(known);
        sessions.journalled(progress);
    }

    @Test
    void nobody_isSilentToOneThatStoodStill() {
        sessions.view(List.of(SELF, absent(1)), 0);
        Peer peer = sessions.present(absent(1));
        assertThat(peer).isNotNull();
        listen(0, 10);
        peer.heard(0, false, 10 * BEAT);

        listen(50, 54);
        assertThat(sessions.isSilent(peer)).isFalse();
        listen(54, 57);
        assertThat(sessions.isSilent(peer)).isTrue();
        peer.heard(0, true, 57 * BEAT);
        assertThat(sessions.isSilent(peer)).isFalse();
    }

    private void listen(int from, int to) {
        for (int i = from; i <= to; i++) {
            sessions.itIs(i * BEAT);
        }
    }

    private static ReplicaId absent(int number) {
        return new ReplicaId(2, number);
    }
}
