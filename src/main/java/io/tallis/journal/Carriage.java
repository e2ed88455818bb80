package io.tallis.journal;

import io.tallis.runtime.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Copies a directory and all that is in it to another disk, which may hang at any moment, and reads it back.
///
/// What is to come is noted before the first step: whoever deletes some of it meanwhile has the copy fail.
final class Carriage {
    private static final long NO_MISMATCH = -1;

    private final Pause pause;

    Carriage(Pause pause) {
        this.pause = pause;
    }

    /// Makes the copy, which must not exist, and returns when it is on the disk.
    void carry(Path from, Path to) throws IOException {
        List<Path> parts = partsOf(from);
        // Before, nobody else may have deleted any of it.
        pause.take();
        for (Path part : parts) {
            carryPart(from.resolve(part), to.resolve(part));
        }
        for (Path part : parts.reversed()) {
            if (Files.isDirectory(to.resolve(part))) {
                Directories.sync(to.resolve(part));
            }
        }
        if (!partsOf(to).equals(parts)) {
            throw notAsWritten(to);
        }
    }

    /// The names of the directory and of all that is in it, as seen from there; each directory before its parts.
    private static List<Path> partsOf(Path root) throws IOException {
        List<Path> parts = new ArrayList<>();
        add(root, root, parts);
        Collections.sort(parts);
        return parts;
    }

    private static void add(Path root, Path part, List<Path> parts) throws IOException {
        parts.add(root.relativize(part));
        if (Files.isDirectory(part)) {
            for (Path within : Directories.list(part)) {
                add(root, within, parts);
            }
        }
    }

    private void carryPart(Path from, Path to) throws IOException {
        if (Files.isDirectory(from)) {
            Files.createDirectory(to);
            return;
        }
        Pieces.copy(from, to, Files.size(from), pause);
        if (Files.mismatch(from, to) != NO_MISMATCH) {
            throw notAsWritten(to);
        }
        pause.take();
    }

    private static IOException notAsWritten(Path copy) {
        return new IOException(copy + " does not have what was written to it");
    }
}
