package io.tallis.runtime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// Atomic replacement of files: at every moment, and after a crash, the file has its old content or the new one.
public final class WholeFile {
    private WholeFile() {}

    /// Replaces or creates a file: writes and syncs the content to [#next], then renames that to the file.
    public static void replace(Path file, ByteBuffer content) throws IOException {
        Path next = next(file);
        write(next, content);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        Directories.sync(file.toAbsolutePath().resolveSibling(""));
    }

    /// The file beside it that holds the new content until the rename.
    public static Path next(Path file) {
        return file.resolveSibling(file.getFileName() + ".new");
    }

    /// Writes a file with this content and syncs it.
    public static void write(Path file, ByteBuffer content) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            while (content.hasRemaining()) {
                channel.write(content);
            }
            channel.force(true);
        }
    }
}
