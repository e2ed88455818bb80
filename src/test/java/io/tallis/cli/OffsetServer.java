package io.tallis.cli;

import io.tallis.runtime.Clock;
import io.tallis.testing.ClockOffset;
import java.io.IOException;
import java.nio.file.Path;

/// A node as [Main] runs it, with a time of day that is off by what the file of a [ClockOffset] says.
public final class OffsetServer {
    /// The system property that names the file.
    public static final String FILE = "tallis.test.clock";

    private OffsetServer() {}

    public static void main(String... arguments) throws IOException {
        Main.run(new OffsetClock(new ClockOffset(Path.of(System.getProperty(FILE)))), arguments);
    }

    private record OffsetClock(ClockOffset offset) implements Clock {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long epochMillis() {
            return System.currentTimeMillis() + offset.millis();
        }
    }
}
