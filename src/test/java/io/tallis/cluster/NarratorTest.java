package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.Narrator.Identity;
import io.tallis.cluster.records.Chronicle;
import io.tallis.cluster.records.NodeGen;
import io.tallis.cluster.records.Self;
import io.tallis.crdt.ReplicaId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NarratorTest {
    private final List<String> told = new ArrayList<>();
    private final Narrator narrator = new Narrator(new Chronicle(
            new Self(NodeGen.uuid(1), "north", "h:1"),
            NodeGen.session(1),
            () -> 0,
            (_, event) -> told.add(event.text())));

    @Test
    void twoSessions_withOneName_areToldOnce() {
        List<Identity> present = List.of(
                new Identity(new ReplicaId(0xAAL << 56, 1), NodeGen.uuid(1), "north"),
                new Identity(new ReplicaId(0xBBL << 56, 1), NodeGen.uuid(2), "north"));

        narrator.present(present);
        narrator.present(present.reversed());

        assertThat(told)
                .containsExactly(
                        "hears that north (session aa000000) and north (session bb000000) have one name: give one another");
    }

    @Test
    void twoSessions_withOneUuid_areToldOnce() {
        List<Identity> present = List.of(
                new Identity(NodeGen.session(1), NodeGen.uuid(1), "north"),
                new Identity(NodeGen.session(2), NodeGen.uuid(1), "south"));

        narrator.present(present);
        narrator.present(present);

        assertThat(told).singleElement().asString().contains("have one UUID: a copied data directory?");
    }

    @Test
    void nodes_withNamesAndUuidsOfTheirOwn_areNotTold() {
        narrator.present(List.of(
                new Identity(NodeGen.session(1), NodeGen.uuid(1), "north"),
                new Identity(NodeGen.session(2), NodeGen.uuid(2), "south")));

        assertThat(told).isEmpty();
    }

    @Test
    void pairs_haveABound() {
        for (int other = 1; other <= Narrator.MOST_TOLD_ONCE + 1; other++) {
            narrator.present(List.of(
                    new Identity(NodeGen.session(0), NodeGen.uuid(1), "north"),
                    new Identity(NodeGen.session(other), NodeGen.uuid(1), "north")));
        }

        assertThat(told).hasSize(Narrator.MOST_TOLD_ONCE);
    }

    @Test
    void merges_areToldOfWhenTheyBeginToBeLostAndWhenThatEnds() {
        narrator.merges(false);
        narrator.merges(true);
        narrator.merges(true);
        narrator.merges(false);

        assertThat(told)
                .containsExactly(
                        "cannot write what others tell to its disk, and does not count as having it",
                        "writes what others tell to its disk again");
    }

    @Test
    void memory_isToldOfWhenItIsFull() {
        narrator.memory(false);
        narrator.memory(true);
        narrator.memory(true);

        assertThat(told).singleElement().asString().startsWith("has no memory left for what others count");
    }

    @Test
    void peer_thatComesAndGoes_isTold() {
        Identity south = new Identity(new ReplicaId(0xAAL << 56, 1), NodeGen.uuid(2), "south");

        narrator.joined(south);
        narrator.left(south);

        assertThat(told)
                .containsExactly("sees south (session aa000000)", "does not see south (session aa000000) any more");
    }
}
