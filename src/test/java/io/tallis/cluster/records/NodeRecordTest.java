package io.tallis.cluster.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.records.NodeRecord.Session;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class NodeRecordTest {
    @Test
    void merge_ofTwoLives_hasTheFactsOfTheNewer() {
        NodeRecord older = NodeRecord.of(NodeGen.uuid(1), NodeGen.life(1, 9, NodeState.LEFT, "former"));
        NodeRecord newer = NodeRecord.of(NodeGen.uuid(1), NodeGen.life(2, 1, NodeState.JOINING, "present"));

        NodeRecord merged = newer.merge(older);

        assertThat(merged.newest()).isEqualTo(newer.newest());
        assertThat(merged.sessions())
                .containsExactly(new Session(1, NodeGen.session(9)), new Session(2, NodeGen.session(1)));
    }

    @Test
    void merge_ofTwoLivesWithOneVersion_hasTheFactsOfTheLargerSession() {
        NodeRecord smaller = NodeRecord.of(NodeGen.uuid(1), NodeGen.life(3, 1, NodeState.READY, "smaller"));
        NodeRecord larger = NodeRecord.of(NodeGen.uuid(1), NodeGen.life(3, 2, NodeState.JOINING, "larger"));

        assertThat(smaller.merge(larger).newest().name()).isEqualTo("larger");
    }

    @Test
    void merge_ofTwoStatesOfOneLife_hasTheFurther() {
        NodeRecord early = NodeRecord.of(NodeGen.uuid(1), NodeGen.life(3, 1, NodeState.JOINING, "a"));
        NodeRecord late = NodeRecord.of(NodeGen.uuid(1), NodeGen.life(3, 1, NodeState.READY, "a"));

        assertThat(late.merge(early).newest().state()).isEqualTo(NodeState.READY);
    }

    @Test
    void merge_ofMoreSessionsThanAreKept_keepsTheNewest() {
        int most = NodeRecord.MOST_SESSIONS;
        NodeRecord early = recordOf(1, most);
        NodeRecord late = recordOf(most / 2, most + 10);

        NodeRecord merged = early.merge(late);

        assertThat(merged.sessions()).hasSize(most);
        assertThat(merged.sessions().getFirst().version()).isEqualTo(11);
        assertThat(merged.version()).isEqualTo(most + 10);
    }

    private static NodeRecord recordOf(int firstVersion, int lastVersion) {
        List<Session> sessions = IntStream.rangeClosed(firstVersion, lastVersion)
                .mapToObj(version -> new Session(version, NodeGen.session(version)))
                .toList();
        return new NodeRecord(
                NodeGen.uuid(1), NodeGen.life(lastVersion, lastVersion, NodeState.READY, "a"), sessions, 0);
    }

    @Test
    void forgotten_untilTheNextStart_isHidden() {
        NodeRecord forgotten = NodeRecord.of(NodeGen.uuid(1), NodeGen.life(3, 1, NodeState.READY, "a"))
                .forgotten();

        NodeRecord started = forgotten.with(NodeGen.life(4, 2, NodeState.JOINING, "a"));

        assertThat(forgotten.hidden()).isTrue();
        assertThat(started.hidden()).isFalse();
    }
}
