package io.tallis.journal.disk;

import io.tallis.runtime.Directories;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/// Copies of files and directories, made a megabyte at a time with a sync and a pause after each: clients are served
/// from the same disks.
public final class FileCopy {
    private static final int PIECE_BYTES = 1 << 20;
    private static final long NO_MISMATCH = -1;

    private FileCopy() {}

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

    /// Copies a directory to another disk and reads the copy back. `to` must not exist. Returns when all is durable.
    public static void copyTree(Path from, Path to, Pause pause) throws IOException {
        Files.createDirectory(to);
        List<Path> files = Directories.list(from);
        for (Path file : files) {
            Path copy = to.resolve(file.getFileName());
            if (Files.isDirectory(file)) {
                copyTree(file, copy, pause);
            } else {
                copy(file, copy, Files.size(file), pause);
                if (Files.mismatch(file, copy) != NO_MISMATCH) {
                    throw new IOException(copy + " does not have what was written to it");
                }
            }
        }
        pause.take();
        Directories.sync(to);
    }
}
