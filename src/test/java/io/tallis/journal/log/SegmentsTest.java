package io.tallis.journal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.crdt.ReplicaId;
import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Disk;
import io.tallis.journal.disk.DiskFile;
import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.Faults.Fate;
import io.tallis.journal.disk.NioDisk;
import io.tallis.journal.disk.PassingDisk;
import io.tallis.journal.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SegmentsTest {
    private static final int BYTES = 1 << 10;

    private final Faults faults = new Faults();
    private final SimulatedDisk disk = new SimulatedDisk(faults);

    @TempDir
    private Path directory;

    @Test
    void spareThatCannotBeMade_whileASegmentBecomesOne_isNoFailure() throws IOException {
        Segments segments = open();
        publish(segments, 1);
        publish(segments, 2);

        boolean ready = segments.spares().prepare(_ -> {
            segments.release(2);
            throw new IOException("No space left on device");
        });

        assertThat(ready).isTrue();
        assertThat(segments.spares().failure()).isNull();
    }

    @Test
    void spareThatCannotBeOpened_isReplaced() throws IOException {
        Disk outOfDescriptors = new PassingDisk(directory) {
            @Override
            public DiskFile open(String name) throws IOException {
                throw new IOException("Too many open files");
            }
        };
        Segments segments = new Segments(outOfDescriptors, new JournalSettings(null, BYTES, 4 * BYTES, 10));
        segments.spares().prepare(Spares.Filling.UNPAUSED);

        assertThatThrownBy(() -> segments.begin(new SegmentHead(1, 7, new ReplicaId(1, 2), 0)))
                .hasMessage("Too many open files");

        assertThat(segments.spares().isReady()).isFalse();
        assertThat(outOfDescriptors.names()).isEmpty();
        assertThat(segments.begin(new SegmentHead(1, 7, new ReplicaId(1, 2), 0))
                        .blank()
                        .name())
                .endsWith(".new");
    }

    @Test
    void missingSegment_isDamageUntilItIsReleased() throws IOException {
        Segments segments = open();
        for (int number = 1; number <= 3; number++) {
            publish(segments, number);
        }
        assertThat(segments.damage()).isNull();

        disk.remove(Segments.nameOf(2));

        assertThat(segments.damage()).isEqualTo("the file " + disk.describe(Segments.nameOf(2)) + " is gone");
        assertThat(segments.release(3)).isEqualTo(2);
        assertThat(segments.damage()).isNull();
        assertThat(segments.numbers()).containsExactly(3L);
    }

    @Test
    void shortSegment_isDamageAndBecomesNoSpare() throws IOException {
        Segments segments = open();
        for (int number = 1; number <= 3; number++) {
            publish(segments, number);
        }
        disk.cut(Segments.nameOf(2), BYTES - 1);

        assertThat(segments.damage())
                .isEqualTo("the file " + disk.describe(Segments.nameOf(2)) + " is shorter than it was made");
        assertThat(segments.release(3)).isEqualTo(2);
        assertThat(segments.damage()).isNull();
        assertThat(disk.names().stream().filter(name -> name.endsWith(".spare")))
                .hasSize(1);
    }

    @Test
    void shortSpare_becomesNoSegment() throws IOException {
        Segments segments = open();
        assertThat(segments.spares().prepare(Spares.Filling.UNPAUSED)).isTrue();
        disk.cut("1.spare", BYTES - 1);

        Segments.Begun begun = segments.begin(new SegmentHead(1, 7, new ReplicaId(1, 2), 0));

        assertThat(begun.blank().name()).endsWith(".new");
        assertThat(disk.names()).doesNotContain("1.spare");
    }

    @Test
    void segmentThatCannotBeDeleted_isReleasedByTheNextCheckpoint() throws IOException {
        Segments segments = open();
        publish(segments, 1);
        publish(segments, 2);
        faults.restart((_, operation) -> operation.startsWith("sync") ? Fate.GOOD : Fate.FAILS);

        assertThatThrownBy(() -> segments.release(2)).hasMessage("No space left on device");

        assertThat(segments.numbers()).containsExactly(1L, 2L);
        faults.restart((_, _) -> Fate.GOOD);
        assertThat(segments.release(2)).isEqualTo(1);
        assertThat(segments.numbers()).containsExactly(2L);
    }

    @Test
    void bytes_areThoseOfTheFiles() throws IOException {
        Segments segments = open();
        publish(segments, 1);
        publish(segments, 2);

        assertThat(segments.bytes()).isEqualTo(2 * BYTES);
        assertThat(segments.bytesBeforeLast(1)).isEqualTo(BYTES);
        assertThat(open().bytes()).isEqualTo(2 * BYTES);
    }

    /// As in a process that has no descriptors left.
    @Test
    void segmentThatCannotBeLookedFor_isNotTakenForMissing() throws IOException {
        AtomicReference<IOException> failure = new AtomicReference<>();
        Disk unreadable = new PassingDisk(directory) {
            @Override
            public DiskFile open(String name) throws IOException {
                if (failure.get() != null) {
                    throw failure.get();
                }
                return super.open(name);
            }
        };
        Segments segments = new Segments(unreadable, new JournalSettings(null, BYTES, 4 * BYTES, 10));
        publish(segments, 1);

        failure.set(new IOException("Too many open files"));
        assertThatThrownBy(segments::damage).hasMessage("Too many open files");
        failure.set(new NoSuchFileException("/data"));
        assertThat(segments.damage()).endsWith(Segments.nameOf(1) + " is gone");
        failure.set(null);
        assertThat(segments.damage()).isNull();
    }

    @Test
    void release_makesSparesUpToABoundAndDeletesTheRest() throws IOException {
        Segments segments = open();
        for (int number = 1; number <= 6; number++) {
            publish(segments, number);
        }

        assertThat(segments.release(6)).isEqualTo(5);

        assertThat(segments.numbers()).containsExactly(6L);
        assertThat(disk.names())
                .hasSize(3)
                .filteredOn(name -> name.endsWith(".spare"))
                .hasSize(2);
    }

    @Test
    void open_usesSparesAgainAndDeletesUnfinishedFiles() throws IOException {
        open().spares().prepare(Spares.Filling.UNPAUSED);
        disk.create("7.new").close();
        try (DiskFile small = disk.create("9.spare")) {
            small.write(ByteBuffer.allocate(10), 0);
        }

        Segments segments = open();

        assertThat(segments.spares().isReady()).isTrue();
        assertThat(disk.names()).singleElement().asString().endsWith(".spare").isNotEqualTo("9.spare");
    }

    @Test
    void open_withAMisnamedSegment_isRefused() throws IOException {
        for (String name : List.of("7.log", "00000000000000007.log", "-000000000000007.log")) {
            disk.create(name).close();

            assertThatThrownBy(this::open).isInstanceOf(DamagedException.class).hasMessageContaining("move it away");
            disk.delete(name);
        }
    }

    /// As `cp -al` makes them: to overwrite one changes the other.
    @Test
    void filesWithASecondHardLink_becomeNoSpares() throws IOException {
        JournalSettings settings = new JournalSettings(null, BYTES, 4 * BYTES, 10);
        Segments segments = new Segments(new NioDisk(directory, () -> {}), settings);
        publish(segments, 1);
        publish(segments, 2);
        publish(segments, 3);
        Path copy = Files.createDirectory(directory.resolve("copy"));
        Files.createLink(copy.resolve("1"), directory.resolve(Segments.nameOf(1)));

        segments.release(3);

        assertThat(new NioDisk(directory, () -> {}).names())
                .filteredOn(name -> name.endsWith(".spare"))
                .singleElement()
                .satisfies(spare -> Files.createLink(copy.resolve("2"), directory.resolve(spare)));
        assertThat(new Segments(new NioDisk(directory, () -> {}), settings)
                        .spares()
                        .isReady())
                .isFalse();
        assertThat(copy.resolve("1")).hasSize(BYTES);
        assertThat(copy.resolve("2")).hasSize(BYTES);
    }

    @Test
    void publish_afterAFailedAttempt_replacesIt() throws IOException {
        Segments segments = open();
        faults.restart((_, operation) -> operation.equals("sync the directory") ? Fate.FAILS : Fate.GOOD);
        try {
            publish(segments, 1);
        } catch (IOException _) {
            faults.restart((_, _) -> Fate.GOOD);
        }

        publish(segments, 1);

        assertThat(segments.numbers()).containsExactly(1L);
        assertThat(disk.names()).containsExactly(Segments.nameOf(1));
    }

    private Segments open() throws IOException {
        return new Segments(disk, new JournalSettings(null, BYTES, 2 * BYTES, 10));
    }

    private static void publish(Segments segments, long number) throws IOException {
        Segments.Begun begun = segments.begin(new SegmentHead(number, 1, new ReplicaId(1, 1), 0));
        begun.segment().sync();
        segments.publish(begun);
    }
}
