package io.tallis.bench;

import io.tallis.runtime.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

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
            Directories.deleteTree(path);
        } catch (IOException failure) {
            throw new BenchException("cannot delete " + path, failure);
        }
    }
}
