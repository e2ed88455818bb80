package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.records.Self;
import io.tallis.crdt.ReplicaId;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class TargetsTest {
    private static final ReplicaId SERVING = new ReplicaId(2, 2);
    private static final long NOTHING = new Vector().hash();

    private final Sessions sessions = new Sessions(new ReplicaId(1, 1), 0);
    private Targets targets;
    private long beats;

    @BeforeEach
    void oneIsThere() {
        var gaps = new Gaps(sessions, null, null, () -> 0);
        targets = new Targets(sessions, gaps);
        sessions.view(List.of(SERVING), 0);
    }

    private void tells(long absentHash) {
        sessions.present(SERVING)
                .told(new Beat(
                        Frame.OLDEST_VERSION,
                        false,
                        ++beats,
                        JoinState.READY,
                        Share.WHOLE,
                        new Self(new UUID(2, 2), "two", ""),
                        0,
                        0,
                        absentHash,
                        0,
                        new Vector()));
        targets.setTo(sessions.present());
    }

    @Test
    void areOfOneThatServes_whenItHasToldAll() {
        tells(NOTHING);

        assertThat(targets.areOfOneThatServes()).isTrue();
    }

    @Test
    void areOfNoneThatServes_whenItHasToldOfAbsentOnesByAHash() {
        tells(NOTHING + 1);

        assertThat(targets.areOfOneThatServes()).isFalse();
    }

    @Test
    void areOfOneThatServes_whenAllThatItHadWasPulled() {
        tells(NOTHING + 1);

        targets.raise(List.of(new Pull(1, sessions.present(SERVING), 0, 1, null, null)));

        assertThat(targets.areOfOneThatServes()).isTrue();
    }

    @Test
    void areOfNoneThatServes_whenThatOneIsGone() {
        tells(NOTHING);

        targets.departed(SERVING);

        assertThat(targets.areOfOneThatServes()).isFalse();
    }
}
