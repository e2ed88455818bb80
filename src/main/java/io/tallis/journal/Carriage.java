package io.tallis.journal;

import io.tallis.runtime.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Copies a directory and all that is in it to another disk, which may hang at any moment, and reads there what has
/// come.
final class Carriage {
    private static final long NO_MISMATCH = -1;

    private final Pause pause;

    Carriage(Pause pause) {
        this.pause = pause;
    }

    /// Makes the copy, which must not exist, and returns when it is on the disk.
    void carry(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        for (Path part : Directories.list(from)) {
            Path copy = to.resolve(part.getFileName());
            if (Files.isDirectory(part)) {
                carry(part, copy);
            } else {
                carryFile(part, copy);
            }
        }
        Directories.sync(to);
    }

    private void carryFile(Path from, Path to) throws IOException {
        Pieces.copy(from, to, Files.size(from), pause);
        if (Files.mismatch(from, to) != NO_MISMATCH) {
            throw new IOException(to + " does not have what was written to it");
        }
        pause.take();
    }
}
