package io.tallis.runtime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Operations on directories that the JDK lacks: durable creation, recursive deletion, sync.
public final class Directories {
    private Directories() {}

    /// Creates a missing directory and its missing parents, and syncs their names to disk.
    public static void make(Path directory) throws IOException {
        Path parent = directory.getParent();
        if (parent == null || Files.isDirectory(directory)) {
            return;
        }
        make(parent);
        Files.createDirectories(directory);
        sync(parent);
    }

    /// The entries of a directory, in no order. All failures are `IOException`s; the stream of the JDK throws unchecked
    /// when reading fails after the first entry.
    public static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /// Deletes a directory and everything in it. Of a symbolic link, only the link.
    public static void deleteTree(Path root) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) throws IOException {
                if (e != null) {
                    throw e;
                }
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /// Syncs the files in a directory, and their names, to disk. Skips files that this process cannot read.
    public static void syncFiles(Path directory) throws IOException {
        for (Path file : list(directory)) {
            if (Files.isRegularFile(file) && Files.isReadable(file)) {
                sync(file);
            }
        }
        sync(directory);
    }

    /// Syncs a directory: files created, renamed or deleted in it before stay so after a crash.
    public static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
