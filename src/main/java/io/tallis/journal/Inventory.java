package io.tallis.journal;

import io.tallis.runtime.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// The names of all that is in a directory, as seen from there.
final class Inventory {
    private final List<Path> parts;

    private Inventory(List<Path> parts) {
        this.parts = parts;
    }

    static Inventory of(Path root) throws IOException {
        if (Files.notExists(root)) {
            throw new NoSuchFileException(root.toString());
        }
        List<Path> parts = new ArrayList<>();
        add(root, root, parts);
        Collections.sort(parts);
        return new Inventory(List.copyOf(parts));
    }

    private static void add(Path root, Path part, List<Path> parts) throws IOException {
        parts.add(root.relativize(part));
        if (Files.isDirectory(part)) {
            for (Path within : Directories.list(part)) {
                add(root, within, parts);
            }
        }
    }

    /// The directory itself first, and each within before its parts.
    List<Path> parts() {
        return parts;
    }

    /// Fails where another directory lacks any of it.
    void requireIn(Path root) throws IOException {
        if (!of(root).parts.containsAll(parts)) {
            throw new IOException(root + " does not have all that was written to it");
        }
    }
}
