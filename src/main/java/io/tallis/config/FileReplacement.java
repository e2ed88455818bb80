package io.tallis.config;

import io.tallis.runtime.Directories;
import io.tallis.runtime.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// A new text for a file that exists: at every moment, and after a crash, the file holds the whole old text or the
/// whole new one.
///
/// The file keeps its permissions, with one exception: when it gets its first secret, others lose the right to read
/// it. While the new text is being written, only the owner can read it.
final class FileReplacement {
    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rw-------");

    private final Path file;
    private final Path next;

    FileReplacement(Path file) {
        this.file = file;
        next = WholeFile.next(file);
    }

    void write(List<String> lines, boolean tellsSecret) throws IOException {
        Set<PosixFilePermission> mode = EnumSet.copyOf(Files.getPosixFilePermissions(file));
        if (tellsSecret) {
            mode.remove(PosixFilePermission.OTHERS_READ);
        }
        // What a crash may have left there could be open to all.
        Files.deleteIfExists(next);
        Files.createFile(next, PosixFilePermissions.asFileAttribute(OWNER));
        try {
            WholeFile.write(next, StandardCharsets.UTF_8.encode(String.join("\n", lines) + "\n"));
            Files.setPosixFilePermissions(next, mode);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(next);
        }
        Directories.sync(file.toAbsolutePath().resolveSibling(""));
    }
}
