package io.tallis.runtime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

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
