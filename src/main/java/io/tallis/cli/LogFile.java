package io.tallis.cli;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Appends to a log file and reopens it by name when it was moved or deleted, so log rotation needs no signal.
///
/// While the new file cannot be created, writes go on to the old one. Used by one thread.
final class LogFile extends OutputStream {
    private final Path path;
    private OutputStream file;
    private @Nullable Object identity;

    LogFile(Path path) throws IOException {
        this.path = path;
        file = append();
        identity = identityOf(path);
    }

    private OutputStream append() throws IOException {
        return new FileOutputStream(path.toFile(), true);
    }

    /// Identifies the file that has this name now (device and inode); null when there is none.
    private static @Nullable Object identityOf(Path path) {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        } catch (IOException _) {
            return null;
        }
    }

    @Override
    public void write(int letter) throws IOException {
        write(new byte[] {(byte) letter}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (!Objects.equals(identityOf(path), identity)) {
            reopen();
        }
        file.write(bytes, offset, length);
    }

    private void reopen() {
        try {
            OutputStream fresh = append();
            file.close();
            file = fresh;
            identity = identityOf(path);
        } catch (IOException _) {
            // The old file stays in use; the next write tries again.
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
