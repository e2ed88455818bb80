package io.tallis.acl;

import io.tallis.runtime.Directories;
import io.tallis.runtime.WholeFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/// The file of the setting `aclfile`. It holds digests of passwords, so only its owner may read what is written here.
final class UserFile {
    /// The most bytes of a file that is read.
    private static final long MOST_BYTES = 64L << 20;

    private UserFile() {}

    /// The lines, each character one byte.
    static List<String> read(Path file) throws IOException {
        if (Files.size(file) > MOST_BYTES) {
            throw new IOException("it has more than " + MOST_BYTES + " bytes");
        }
        return Files.readString(file, StandardCharsets.ISO_8859_1).lines().toList();
    }

    /// Replaces the file by rename: a crash leaves the old text or the new one.
    static void write(Path file, List<String> lines) throws IOException {
        Path target = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
        Path next = WholeFile.next(target);
        // A file that a crash left there may be readable by all.
        Files.deleteIfExists(next);
        Files.createFile(next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            String text = String.join("\n", lines) + "\n";
            WholeFile.write(next, ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
            Files.move(next, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(next);
        }
        Directories.sync(target.resolveSibling(""));
    }
}
