package io.tallis.journal;

import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Clock;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.stream.Stream;

/// Copies of the data under `backup/`, each a whole data directory: to restore one, copy it to where the data
/// directory was and start.
///
/// A copy is made under another name and renamed when it is on the disk, so that one with a proper name is whole.
/// Its database shares unchanging files with the present one; its journal is one segment without rows. The newest
/// [#KEPT] are kept.
final class Backups {
    static final int KEPT = 8;

    private static final String UNFINISHED = ".unfinished";
    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS").withZone(ZoneOffset.UTC);

    private final DataDirectory directory;
    private final CellStore store;
    private final Clock clock;

    Backups(DataDirectory directory, CellStore store, Clock clock) {
        this.directory = directory;
        this.store = store;
        this.clock = clock;
    }

    /// Copies what the store committed last, which must be `replay from segment`. Returns where the copy is.
    Path take(long segment) throws IOException {
        deleteUnfinished();
        String name = NAME.format(Instant.ofEpochMilli(clock.epochMillis()));
        Path unfinished = directory.backups().resolve(name + UNFINISHED);
        Path journal = unfinished.resolve("journal");
        Files.createDirectories(journal);
        store.copyTo(unfinished.resolve("cells"));
        directory.writeNode(unfinished);
        writeEmptySegment(new NioDisk(journal), segment);
        NioDisk.syncDirectory(unfinished);
        Path backup = directory.backups().resolve(name);
        Files.move(unfinished, backup, StandardCopyOption.ATOMIC_MOVE);
        NioDisk.syncDirectory(directory.backups());
        deleteOldest();
        return backup;
    }

    private static void writeEmptySegment(Disk disk, long number) throws IOException {
        SegmentHead head = new SegmentHead(number, Frame.NO_SALT, new ReplicaId(0, 0), 0);
        try (DiskFile file = disk.create(Segments.nameOf(number))) {
            new Segment(head, file, SegmentHead.BYTES, 0).write(head.toFrame());
            file.sync();
        }
        disk.sync();
    }

    private void deleteUnfinished() throws IOException {
        for (Path copy : copies()) {
            if (copy.getFileName().toString().endsWith(UNFINISHED)) {
                deleteTree(copy);
            }
        }
    }

    private void deleteOldest() throws IOException {
        List<Path> copies = copies();
        for (Path copy : copies.subList(0, Math.max(0, copies.size() - KEPT))) {
            deleteTree(copy);
        }
    }

    /// All copies that have a name of ours, the oldest first.
    private List<Path> copies() throws IOException {
        try (Stream<Path> files = Files.list(directory.backups())) {
            return files.filter(
                            file -> file.getFileName().toString().matches("\\d{8}-\\d{6}-\\d{3}(" + UNFINISHED + ")?"))
                    .sorted()
                    .toList();
        }
    }

    private static void deleteTree(Path root) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @org.jspecify.annotations.Nullable IOException e)
                    throws IOException {
                if (e != null) {
                    throw e;
                }
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
