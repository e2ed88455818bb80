package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.EventReporter.Identity;
import io.tallis.cluster.records.Chronicle;
import io.tallis.cluster.records.NodeGen;
import io.tallis.cluster.records.NodeRecord;
import io.tallis.cluster.records.Self;
import io.tallis.crdt.ReplicaId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EventReporterTest {
    private final List<String> told = new ArrayList<>();
    private final EventReporter reporter = new EventReporter(new Chronicle(
            new Self(NodeGen.uuid(1), "north", "h:1"),
            NodeGen.session(1),
            () -> 0,
            (_, event) -> told.add(event.text())));

    @Test
    void twoSessions_withOneName_areReportedOnce() {
        List<Identity> present = List.of(
                new Identity(new ReplicaId(0xAAL << 56, 1), NodeGen.uuid(1), "north"),
                new Identity(new ReplicaId(0xBBL << 56, 1), NodeGen.uuid(2), "north"));

        reporter.checkDuplicates(present);
        reporter.checkDuplicates(present.reversed());

        assertThat(told)
                .containsExactly(
                        "finds that north (session aa000000) and north (session bb000000) have the same name; rename one of them");
    }

    @Test
    void twoSessions_withOneUuid_areReportedOnce() {
        List<Identity> present = List.of(
                new Identity(NodeGen.session(1), NodeGen.uuid(1), "north"),
                new Identity(NodeGen.session(2), NodeGen.uuid(1), "south"));

        reporter.checkDuplicates(present);
        reporter.checkDuplicates(present);

        assertThat(told).singleElement().asString().contains("have the same node UUID (a copied data directory?)");
    }

    @Test
    void clock_thatDiffers_isReportedWithTheDirection() {
        Identity south = new Identity(new ReplicaId(0xBBL << 56, 1), NodeGen.uuid(2), "south");

        reporter.clock(south, true, 3_200);
        reporter.clock(south, false, 20);
        reporter.clock(south, true, -1_500);

        assertThat(told)
                .containsExactly(
                        "has a clock that is 3.2 seconds behind that of south (session bb000000): one of the two clocks is"
                                + " wrong. Set the clocks, by NTP",
                        "has the same time again as south (session bb000000)",
                        "has a clock that is 1.5 seconds ahead of that of south (session bb000000): one of the two clocks is"
                                + " wrong. Set the clocks, by NTP");
    }

    /// Advice is at the end of an event.
    @Test
    void warning_ofNodesWithTheLongestNames_isNotCut() {
        String name = "n".repeat(NodeRecord.MOST_NAME_CHARS);

        reporter.checkDuplicates(List.of(
                new Identity(NodeGen.session(1), NodeGen.uuid(1), name),
                new Identity(NodeGen.session(2), NodeGen.uuid(1), name)));

        assertThat(told).singleElement().asString().endsWith("restart one with an empty directory");
    }

    @Test
    void nodes_withDistinctNamesAndUuids_areNotReported() {
        reporter.checkDuplicates(List.of(
                new Identity(NodeGen.session(1), NodeGen.uuid(1), "north"),
                new Identity(NodeGen.session(2), NodeGen.uuid(2), "south")));

        assertThat(told).isEmpty();
    }

    @Test
    void pairs_beyondTheBound_areNotReported() {
        for (int other = 1; other <= EventReporter.MOST_PAIRS + 1; other++) {
            reporter.checkDuplicates(List.of(
                    new Identity(NodeGen.session(0), NodeGen.uuid(1), "north"),
                    new Identity(NodeGen.session(other), NodeGen.uuid(1), "north")));
        }

        assertThat(told).hasSize(EventReporter.MOST_PAIRS);
    }

    @Test
    void journal_whenItFailsAndRecovers_isReported() {
        reporter.journal(false);
        reporter.journal(true);
        reporter.journal(true);
        reporter.journal(false);

        assertThat(told)
                .containsExactly(
                        "cannot write changes of other nodes to its journal, and does not acknowledge them",
                        "writes changes of other nodes to its journal again");
    }

    @Test
    void memory_whenItBecomesFullAndFree_isReported() {
        reporter.memory(false);
        reporter.memory(true);
        reporter.memory(true);

        assertThat(told).singleElement().asString().startsWith("is out of memory and merges no more changes");
    }

    @Test
    void peer_thatComesAndGoes_isReported() {
        Identity south = new Identity(new ReplicaId(0xAAL << 56, 1), NodeGen.uuid(2), "south");

        reporter.reachable(south);
        reporter.unreachable(south);

        assertThat(told)
                .containsExactly("reaches south (session aa000000)", "no longer reaches south (session aa000000)");
    }
}
