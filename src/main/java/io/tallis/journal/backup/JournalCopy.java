package io.tallis.journal.backup;

import io.tallis.crdt.ReplicaId;
import io.tallis.journal.disk.Disk;
import io.tallis.journal.disk.DiskFile;
import io.tallis.journal.disk.Pause;
import io.tallis.journal.log.LogFrame;
import io.tallis.journal.log.Segment;
import io.tallis.journal.log.SegmentHead;
import io.tallis.journal.log.SegmentReader;
import io.tallis.journal.log.Segments;
import java.io.IOException;
import java.nio.ByteBuffer;

/// The journal's part of a backup.
///
/// The database is filled cell by cell while clients go on, so it may have one counter of a transaction and not yet
/// another. The journal since the checkpoint began makes the copy whole: all of it that was recorded before the
/// database was copied goes into the copy too.
public final class JournalCopy implements BackupFiles.Journal {
    private static final int PIECE_BYTES = 1 << 20;

    private final Segments segments;
    private final Rotation rotation;
    private final Pause pause;

    public JournalCopy(Segments segments, Rotation rotation, Pause pause) {
        this.segments = segments;
        this.rotation = rotation;
        this.pause = pause;
    }

    /// Rotates the journal.
    @FunctionalInterface
    public interface Rotation {
        /// Begins a new segment behind everything that any thread has recorded so far, and returns its number.
        long rotate() throws IOException;
    }

    @Override
    public void copyTo(Disk copy, long first) throws IOException {
        long last = rotation.rotate();
        long end = 0;
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        for (long number = first; number < last; number++) {
            end = SegmentReader.endOf(segments, number);
            requireWhole(number, end);
            copySegment(number, end, copy, piece);
        }
        writeEmptySegment(last, end, copy);
        copy.sync();
    }

    /// A start from the copy would refuse damage, when the original is long gone.
    private void requireWhole(long number, long end) throws IOException {
        try (SegmentReader segment = SegmentReader.open(segments, number)) {
            segment.eachTo(end, () -> {});
        }
    }

    private void copySegment(long number, long end, Disk copy, ByteBuffer piece) throws IOException {
        try (DiskFile from = segments.open(number);
                DiskFile to = copy.create(Segments.nameOf(number))) {
            for (long at = 0; at < end; ) {
                piece.clear().limit((int) Math.min(PIECE_BYTES, end - at));
                if (from.read(piece, at) <= 0) {
                    throw new IOException(segments.describe(number) + " ends at " + at + ", expected " + end);
                }
                piece.flip();
                while (piece.hasRemaining()) {
                    at += to.write(piece, at);
                }
                to.sync();
                pause.take();
            }
        }
    }

    /// Belongs to no session, so that a node that starts from the copy goes on in a segment of its own.
    private static void writeEmptySegment(long number, long previousEnd, Disk copy) throws IOException {
        SegmentHead head = new SegmentHead(number, LogFrame.NO_SALT, new ReplicaId(0, 0), previousEnd);
        try (DiskFile file = copy.create(Segments.nameOf(number))) {
            new Segment(head, file, SegmentHead.BYTES, 0).write(head.toFrame());
            file.sync();
        }
    }
}
