package io.tallis.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/// The files that this process forces to disk, recorded by the JDK from the creation of this object on.
public final class ForcedPaths implements AutoCloseable {
    private static final String FORCE = "jdk.FileForce";

    private final Recording recording = new Recording();

    public ForcedPaths() {
        recording.enable(FORCE).withThreshold(Duration.ZERO).withoutStackTrace();
        recording.start();
    }

    /// The files and directories under `root` that were forced, in order. Ends the recording.
    public List<Path> under(Path root) throws IOException {
        recording.stop();
        Path dump = Files.createTempFile("forced", ".jfr");
        try {
            recording.dump(dump);
            return RecordingFile.readAllEvents(dump).stream()
                    .filter(event -> event.getEventType().getName().equals(FORCE))
                    .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                    .map(event -> Path.of(event.getString("path")))
                    .filter(path -> path.startsWith(root))
                    .toList();
        } finally {
            Files.delete(dump);
        }
    }

    @Override
    public void close() {
        recording.close();
    }
}
