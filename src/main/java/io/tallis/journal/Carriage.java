package io.tallis.journal;

import io.tallis.runtime.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Copies a directory and all that is in it to another disk, which may hang at any moment, and reads it back.
final class Carriage {
    private static final long NO_MISMATCH = -1;

    private final Pause pause;

    Carriage(Pause pause) {
        this.pause = pause;
    }

    /// Copies the parts of a directory to one that must not exist, and returns when they are on the disk.
    void carry(Path from, Inventory parts, Path to) throws IOException {
        for (Path part : parts.parts()) {
            carryPart(from.resolve(part), to.resolve(part));
        }
        for (Path part : parts.parts().reversed()) {
            if (Files.isDirectory(to.resolve(part))) {
                Directories.sync(to.resolve(part));
            }
        }
    }

    private void carryPart(Path from, Path to) throws IOException {
        if (Files.isDirectory(from)) {
            Files.createDirectory(to);
        } else {
            Pieces.copy(from, to, Files.size(from), pause);
            if (Files.mismatch(from, to) != NO_MISMATCH) {
                throw new IOException(to + " does not have what was written to it");
            }
        }
        pause.take();
    }
}
