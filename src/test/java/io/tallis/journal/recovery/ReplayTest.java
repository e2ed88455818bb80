package io.tallis.journal.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.journal.checkpoint.Ledger;
import io.tallis.journal.checkpoint.SimulatedMachine;
import io.tallis.journal.checkpoint.SimulatedProcess;
import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.log.FsyncPolicy;
import io.tallis.journal.log.LogFrame;
import io.tallis.journal.log.SegmentHead;
import io.tallis.journal.log.Segments;
import io.tallis.journal.log.Spares;
import io.tallis.testing.Gen;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Which damage a start takes for the end of a write that never finished, and which it refuses.
final class ReplayTest {
    private static final String FIRST = Segments.nameOf(1);

    private final SimulatedMachine machine = new SimulatedMachine();
    private SimulatedProcess process;

    @BeforeEach
    void start() throws IOException {
        process = startOn(machine);
    }

    @Test
    void lastFrame_cutAnywhere_isDroppedAndAllBeforeKept() throws IOException {
        process.count("a", 1);
        int end = written();
        process.count("a", 2);
        int torn = written();

        for (int cut = end; cut < torn; cut++) {
            SimulatedMachine copy = machine.copy();
            copy.disk.wipe(FIRST, cut);

            SimulatedProcess next = startOn(copy);
            assertThat(next.value("a")).as("cut at " + cut).isEqualTo(1);
            assertThat(next.loading.progress().cut()).isEqualTo(cut >= end + Integer.BYTES);
        }
    }

    /// No crash makes a file shorter than it was made and synced. What stood behind its end is unknown.
    @Test
    void shortFile_isRefused() throws IOException {
        process.count("a", 1);
        int end = written();
        process.count("a", 2);
        machine.disk.cut(FIRST, end);

        assertThatThrownBy(() -> startOn(machine))
                .isInstanceOf(DamagedException.class)
                .hasMessageContaining("/data/journal/" + FIRST + ": has " + end + " bytes of");
    }

    @Test
    void anyBit_flippedBelowADurableMark_isRefusedWithFileAndOffset() throws IOException {
        process.count("a", 1);
        process.count("a", 2);
        process.log.sync();
        int synced = written();
        process.count("a", 3);

        for (int offset = 0; offset < synced; offset++) {
            SimulatedMachine copy = machine.copy();
            copy.disk.flipBit(FIRST, offset);

            assertThatThrownBy(() -> startOn(copy))
                    .as("bit flipped at " + offset)
                    .isInstanceOf(DamagedException.class)
                    .hasMessageContaining("/data/journal/" + FIRST)
                    .hasMessageMatching("(?s).*at offset \\d+.*");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
    void durableMarkBehindDamage_isFoundWhereverItsFrameBegins(int keyLength) throws IOException {
        process.count("a", 1);
        int first = written();
        process.count("k".repeat(keyLength), 2);
        process.log.sync();
        process.count("a", 3);
        machine.disk.flipBit(FIRST, first + 5);

        assertThatThrownBy(() -> startOn(machine)).hasMessageContaining("damaged at offset " + first + ",");
    }

    @Test
    void damage_behindTheHighestDurableMark_cutsTheTail() throws IOException {
        process.count("a", 1);
        process.log.sync();
        process.count("a", 2);
        int second = written();
        process.count("a", 3);
        process.count("a", 4);
        machine.disk.flipBit(FIRST, second + LogFrame.HEADER);

        SimulatedProcess next = startOn(machine);

        assertThat(next.value("a")).isEqualTo(3);
        assertThat(next.loading.progress().cut()).isTrue();
    }

    /// As on an idle node, a second after the sync.
    @Test
    void anyBit_flippedBeforeAFrameThatOnlyHasADurableMark_isRefused() throws IOException {
        process.count("a", 1);
        process.log.sync();
        int synced = written();
        process.journal.writeDurableMark();
        process.step();

        for (int offset = 0; offset < synced; offset++) {
            SimulatedMachine copy = machine.copy();
            copy.disk.flipBit(FIRST, offset);

            assertThatThrownBy(() -> startOn(copy)).isInstanceOf(DamagedException.class);
        }
        assertThat(startOn(machine).loading.progress().cut()).isFalse();
    }

    @Test
    void segment_endingWhereTheFormerOneDid_getsItsOwnDurableMark() throws IOException {
        process.count("a", 1);
        process.log.sync();
        process.journal.writeDurableMark();
        process.step();
        int end = written();
        process.rotate();
        process.count("a".repeat(1 + LogFrame.HEADER), 1);
        process.log.sync();

        assertThat(written()).isEqualTo(2 * end);
        assertThat(process.log.needsDurableMark()).isTrue();
    }

    @Test
    void anyBit_flippedInASegmentWithASuccessor_isRefused() throws IOException {
        process.count("a", 1);
        int end = written();
        process.rotate();
        process.count("a", 2);

        for (int offset = 0; offset < end; offset++) {
            SimulatedMachine copy = machine.copy();
            copy.disk.flipBit(FIRST, offset);

            assertThatThrownBy(() -> startOn(copy)).isInstanceOf(DamagedException.class);
        }
    }

    @Test
    void segment_missingBetweenOthers_isNamed() throws IOException {
        process.count("a", 1);
        process.rotate();
        process.count("a", 2);
        process.rotate();
        machine.disk.remove(Segments.nameOf(2));

        assertThatThrownBy(() -> startOn(machine)).hasMessageContaining(Segments.nameOf(2) + " is missing");
    }

    @Test
    void firstSegmentToReplay_missing_isNamed() throws IOException {
        process.count("a", 1);
        assertThat(process.checkpoint()).isTrue();
        machine.disk.remove(Segments.nameOf(2));

        assertThatThrownBy(() -> startOn(machine)).hasMessageContaining(Segments.nameOf(2) + " is missing");
    }

    @Test
    void journal_removedBeforeTheFirstCheckpoint_isRefused() {
        process.count("a", 1);
        machine.disk.remove(FIRST);

        assertThatThrownBy(() -> startOn(machine)).hasMessageContaining(FIRST + " is missing");
    }

    @Test
    void segmentBeforeTheCheckpoint_leftBehind_isDeleted() throws IOException {
        process.count("a", 1);
        SimulatedMachine before = machine.copy();
        assertThat(process.checkpoint()).isTrue();
        machine.disk.add(FIRST, before.disk.contentOf(FIRST));

        SimulatedProcess next = startOn(machine);

        assertThat(next.value("a")).isEqualTo(1);
        assertThat(machine.disk.names()).doesNotContain(FIRST);
    }

    @Test
    void recycledFile_withFramesOfAFormerSegment_yieldsOnlyItsOwn() throws IOException {
        process.segments.spares().prepare(Spares.Filling.UNPAUSED);
        process.rotate();
        for (int i = 0; i < 8; i++) {
            process.count("old", 1);
        }
        assertThat(process.checkpoint()).isTrue();
        process.rotate();
        process.rotate();
        process.count("new", 1);
        String last = Segments.nameOf(process.log.segmentNumber());
        int rowsOfOld = rowsOfOld(machine.disk.contentOf(last));

        SimulatedProcess next = startOn(machine);

        assertThat(rowsOfOld).as("rows in " + last).isGreaterThan(2);
        assertThat(next.value("old")).isEqualTo(8);
        assertThat(next.value("new")).isEqualTo(1);
    }

    @Test
    void keyWithTheBytesOfAFrame_isNotTakenForOne() throws IOException {
        process.count("a", 1);
        process.log.sync();
        process.count("b", 1);
        int second = written();
        byte[] frames = machine.disk.contentOf(FIRST);
        String forged = new String(frames, SegmentHead.BYTES, second - SegmentHead.BYTES, StandardCharsets.ISO_8859_1);
        process.count("x", 1);
        process.count(forged, 1);
        machine.disk.flipBit(FIRST, second);

        assertThatCode(() -> startOn(machine)).doesNotThrowAnyException();
    }

    @Test
    void journal_ofALaterVersion_isRefused() throws IOException {
        process.rotate();
        var head = new SegmentHead(2, 0, process.keyspace.replicas().own(), SegmentHead.BYTES).toFrame();
        head.put(LogFrame.HEADER, (byte) 9);
        LogFrame.seal(head, 0, SegmentHead.BYTES, LogFrame.HEAD, new LogFrame.Stamp(2, LogFrame.NO_SALT, 0));
        byte[] bytes = new byte[SegmentHead.BYTES];
        head.get(0, bytes);
        machine.disk.add(Segments.nameOf(2), bytes);

        assertThatThrownBy(() -> startOn(machine))
                .isNotInstanceOf(DamagedException.class)
                .hasMessageContaining("version 9 of the journal, expected 5");
    }

    private int written() {
        return (int) process.log.bytesWritten();
    }

    private static SimulatedProcess startOn(SimulatedMachine machine) throws IOException {
        return new SimulatedProcess(machine, FsyncPolicy.EVERYSEC, new Ledger(), new Gen(17 + machine.starts++));
    }

    /// How often the key of the former segment stands in the file.
    private static int rowsOfOld(byte[] bytes) {
        int found = 0;
        for (int i = 0; i + 3 <= bytes.length; i++) {
            found += bytes[i] == 'o' && bytes[i + 1] == 'l' && bytes[i + 2] == 'd' ? 1 : 0;
        }
        return found;
    }
}
