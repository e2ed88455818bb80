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
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The log of the process: messages of Tallis from `loglevel` up, messages of libraries from warnings up.
///
/// If the JVM was started with a logging configuration (`java.util.logging.config.file`), that one stays in force.
final class Log {
    // Strong references: the LogManager keeps only weak ones, and a logger that is collected loses its level.
    private final Logger root = Logger.getLogger("");
    private final Logger tallis = Logger.getLogger("io.tallis");

    private @Nullable LogQueue queue;

    private Log() {}

    static Log open(Config config, OutputStream standardOutput) {
        System.setProperty("java.util.logging.manager", LogManagerWithoutReset.class.getName());
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
        config.onChange(values -> tallis.setLevel(level(values)));
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

    /// Waits until all lines logged so far are written, at most for `limit`.
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

    /// A LogManager that keeps logging during shutdown. The JDK's own closes all handlers as soon as the shutdown
    /// begins, so failures of the last checkpoint would not be logged.
    ///
    /// Public, with a public constructor, because the JDK creates it by name.
    public static final class LogManagerWithoutReset extends LogManager {
        public LogManagerWithoutReset() {}

        @Override
        public void reset() {}
    }
}
