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

/// What the JDK has no call for.
public final class Directories {
    private Directories() {}

    /// Makes a directory that is missing, and those above it, such that their names survive a crash.
    public static void make(Path directory) throws IOException {
        Path parent = directory.getParent();
        if (parent == null || Files.isDirectory(directory)) {
            return;
        }
        make(parent);
        Files.createDirectories(directory);
        sync(parent);
    }

    /// What is in a directory, in no order. Fails as it is said to where the JDK's own list throws unchecked: when the
    /// disk fails behind the first name.
    public static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /// Deletes a directory and all that is in it; of a link, the link.
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

    /// Returns when all files in a directory will survive a crash, as they are now and by their names; but for those
    /// that this process cannot read.
    public static void syncFiles(Path directory) throws IOException {
        for (Path file : list(directory)) {
            if (Files.isRegularFile(file) && Files.isReadable(file)) {
                sync(file);
            }
        }
        sync(directory);
    }

    /// Returns when the names in a directory, as they were made, changed or deleted before, will survive a crash.
    public static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
