package io.tallis.runtime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// Files that at every moment, and after a crash, hold all of their old content or all of the new.
public final class WholeFile {
    private WholeFile() {}

    /// Replaces a file, or makes it, by way of another beside it.
    public static void replace(Path file, ByteBuffer content) throws IOException {
        Path next = next(file);
        write(next, content);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        Directories.sync(file.toAbsolutePath().resolveSibling(""));
    }

    /// What a file's new content is called until it takes its place.
    public static Path next(Path file) {
        return file.resolveSibling(file.getFileName() + ".new");
    }

    /// Fills a file with nothing but that, and returns when it will survive a crash.
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
