package io.tallis.journal.disk;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/// The logger of the journal, and the wording of disk failures in it.
public final class Failures {
    public static final System.Logger LOG = System.getLogger("io.tallis.journal");

    private Failures() {}

    /// The reason in one line, without the name of the Java class.
    public static String reason(IOException failure) {
        return switch (failure) {
            case AccessDeniedException denied -> "Permission denied: " + denied.getFile();
            case NoSuchFileException missing -> "No such file or directory: " + missing.getFile();
            case NotDirectoryException file -> "Not a directory: " + file.getFile();
            case FileAlreadyExistsException file -> "Not a directory: " + file.getFile();
            case FileSystemException system when system.getReason() != null -> oneLine(system.getReason());
            default -> oneLine(failure.getMessage() == null ? failure.toString() : failure.getMessage());
        };
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s*[\\r\\n]+\\s*", " ");
    }
}
