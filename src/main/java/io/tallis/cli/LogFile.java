package io.tallis.cli;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The end of a file of that name: when the file is moved away or deleted, what follows goes to a new one.
///
/// So logs can be rotated without a signal. As long as no new file can be made, the old one is written on. Belongs
/// to one thread.
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

    /// What tells the file from others; null when there is none of that name.
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
            follow();
        }
        file.write(bytes, offset, length);
    }

    private void follow() {
        try {
            OutputStream fresh = append();
            file.close();
            file = fresh;
            identity = identityOf(path);
        } catch (IOException _) {
            // Tried again at the next line: the old file is better than none.
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
