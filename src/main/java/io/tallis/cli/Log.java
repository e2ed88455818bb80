package io.tallis.cli;

import io.tallis.config.Config;
import io.tallis.config.ConfigException;
import io.tallis.config.Settings;
import io.tallis.config.Values;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The log of the process: our own messages from `loglevel` on, those of libraries from warning on.
///
/// Whoever runs the JVM with a logging configuration of his own keeps it.
final class Log {
    // The library holds loggers weakly: one that nobody keeps forgets its level.
    private final Logger root = Logger.getLogger("");
    private final Logger ours = Logger.getLogger("io.tallis");

    private @Nullable LogQueue queue;

    private Log() {}

    static Log open(Config config, OutputStream standardOutput) {
        System.setProperty("java.util.logging.manager", LastingLogManager.class.getName());
        var log = new Log();
        if (System.getProperty("java.util.logging.config.file") == null) {
            log.configure(config, standardOutput);
        }
        return log;
    }

    private void configure(Config config, OutputStream standardOutput) {
        for (Handler handler : root.getHandlers()) {
            root.removeHandler(handler);
        }
        queue = new LogQueue(
                destination(config.values(), standardOutput),
                new LogFormat(ProcessHandle.current().pid()));
        root.addHandler(queue);
        root.setLevel(Level.WARNING);
        config.onChange(values -> ours.setLevel(level(values)));
    }

    private static OutputStream destination(Values values, OutputStream standardOutput) {
        String file = values.get(Settings.LOGFILE);
        if (file.isEmpty()) {
            return standardOutput;
        }
        try {
            return new LogFile(Path.of(file));
        } catch (IOException unwritable) {
            throw new ConfigException("cannot write the log to " + file + ": " + unwritable.getMessage());
        }
    }

    /// Waits until all is written that was told so far, but no longer than that.
    void awaitWritten(Duration limit) {
        if (queue != null) {
            queue.awaitWritten(limit);
        }
    }

    private static Level level(Values values) {
        return switch (values.get(Settings.LOGLEVEL)) {
            case "debug" -> Level.FINER;
            case "verbose" -> Level.FINE;
            case "warning" -> Level.WARNING;
            default -> Level.INFO;
        };
    }
}
