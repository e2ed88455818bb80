package io.tallis.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// A new text for a file that is there: at any moment, a crash or not, the file has all of the old one or all of
/// the new one.
///
/// Who may do what with the file stays, but that others cannot read it any more when it gets its first secret.
/// Nobody but the owner can read the new text before it has the file's name.
final class FileReplacement {
    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rw-------");

    private final Path file;
    private final Path next;

    FileReplacement(Path file) {
        this.file = file;
        next = file.resolveSibling(file.getFileName() + ".new");
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
            fill(String.join("\n", lines) + "\n");
            Files.setPosixFilePermissions(next, mode);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(next);
        }
        syncDirectory();
    }

    private void fill(String text) throws IOException {
        try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    private void syncDirectory() throws IOException {
        try (FileChannel directory = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            directory.force(true);
        }
    }
}
