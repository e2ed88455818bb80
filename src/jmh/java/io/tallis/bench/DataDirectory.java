package io.tallis.bench;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/// A new directory that is deleted with all that is in it.
final class DataDirectory implements AutoCloseable {
    private final Path path;

    DataDirectory(Path parent, String prefix) {
        try {
            path = Files.createTempDirectory(Files.createDirectories(parent), prefix);
        } catch (IOException failure) {
            throw new BenchException("cannot make a directory in " + parent, failure);
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        try {
            Files.walkFileTree(path, new Deletion());
        } catch (IOException failure) {
            throw new BenchException("cannot delete " + path, failure);
        }
    }

    private static final class Deletion extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) throws IOException {
            Files.delete(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
