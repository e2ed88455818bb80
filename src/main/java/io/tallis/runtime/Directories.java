package io.tallis.runtime;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// What the JDK has no call for.
public final class Directories {
    private Directories() {}

    /// Returns when the names in a directory, as they were made, changed or deleted before, will survive a crash.
    public static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
