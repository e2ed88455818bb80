package io.tallis.journal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Copies of files that are made a piece at a time, each synced, with a pause behind it: clients are served by the same
/// disks.
public final class Pieces {
    private static final int PIECE_BYTES = 1 << 20;

    private Pieces() {}

    /// Copies the first `bytes` of a file to a new one.
    public static void copy(Path from, Path to, long bytes, Pause pause) throws IOException {
        try (FileChannel source = FileChannel.open(from);
                FileChannel target = FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long at = 0; at < bytes; ) {
                long length = source.transferTo(at, Math.min(PIECE_BYTES, bytes - at), target);
                if (length <= 0) {
                    throw new IOException(from + " ends at " + at + ", expected " + bytes);
                }
                at += length;
                target.force(true);
                pause.take();
            }
            if (bytes == 0) {
                target.force(true);
            }
        }
    }
}
