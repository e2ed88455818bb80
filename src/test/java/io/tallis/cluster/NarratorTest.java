package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.Narrator.Identity;
import io.tallis.crdt.ReplicaId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NarratorTest {
    private final List<String> told = new ArrayList<>();
    private final Narrator narrator = new Narrator(new Chronicle(
            new Self(NodeGen.uuid(1), "north", "h:1"),
            NodeGen.session(1),
            new SteppedClock(),
            event -> told.add(event.text())));

    @Test
    void twoSessions_withOneName_areToldOnce() {
        List<Identity> present = List.of(
                new Identity(new ReplicaId(0xAAL << 56, 1), NodeGen.uuid(1), "north"),
                new Identity(new ReplicaId(0xBBL << 56, 1), NodeGen.uuid(2), "north"));

        narrator.present(present);
        narrator.present(present.reversed());

        assertThat(told).containsExactly("north (session aa000000) and north (session bb000000) have one name");
    }

    @Test
    void twoSessions_withOneUuid_areToldOnce() {
        List<Identity> present = List.of(
                new Identity(NodeGen.session(1), NodeGen.uuid(1), "north"),
                new Identity(NodeGen.session(2), NodeGen.uuid(1), "south"));

        narrator.present(present);
        narrator.present(present);

        assertThat(told).singleElement().asString().endsWith("have one UUID: a copied data directory?");
    }

    @Test
    void nodes_withNamesAndUuidsOfTheirOwn_areNotTold() {
        narrator.present(List.of(
                new Identity(NodeGen.session(1), NodeGen.uuid(1), "north"),
                new Identity(NodeGen.session(2), NodeGen.uuid(2), "south")));

        assertThat(told).isEmpty();
    }

    @Test
    void malformedFrames_areToldOnceForEachSender() {
        narrator.malformed(NodeGen.session(1), "too short");
        narrator.malformed(NodeGen.session(1), "too long");
        narrator.malformed(NodeGen.session(2), "too short");

        assertThat(told).hasSize(2);
    }

    @Test
    void thingsToldOnce_haveABound() {
        for (int sender = 0; sender <= Narrator.MOST_TOLD_ONCE; sender++) {
            narrator.malformed(NodeGen.session(sender), "too short");
        }

        assertThat(told).hasSize(Narrator.MOST_TOLD_ONCE);
    }

    @Test
    void pull_thatEnded_isToldWithItsFigures() {
        narrator.pullEnded("south", new Narrator.Pulled(12, 3456, 1540));

        assertThat(told).containsExactly("has pulled 12 cells, 3456 bytes, from south in 1.5 s");
    }
}
