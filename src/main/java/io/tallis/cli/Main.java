package io.tallis.cli;

import io.tallis.config.Config;
import io.tallis.config.ConfigException;
import io.tallis.config.ConfigLoader;
import io.tallis.config.Settings;
import io.tallis.runtime.Clock;
import io.tallis.runtime.FatalException;
import io.tallis.runtime.Randomness;
import io.tallis.runtime.Threads;
import io.tallis.runtime.TimeLimit;
import io.tallis.server.ClusterKeys;
import io.tallis.server.ServiceManager;
import io.tallis.server.StartException;
import io.tallis.server.TallisServer;
import io.tallis.server.Version;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The entry point. `tallis [FILE] [--setting value ...]` runs a node until SIGTERM, SIGINT or `SHUTDOWN`; `tallis
/// keygen FILE` writes a new key for a cluster.
///
/// Exit code 0 after a clean stop, 1 when the node could not start, failed, or could not write everything at the end.
/// The last lines of the log or of the standard error say why.
public final class Main {
    private static final int FAILED = 1;
    private static final String KEYGEN = "keygen";
    private static final Duration LAST_LINES_TIMEOUT = Duration.ofSeconds(1);

    private final Clock clock;
    private final PrintStream out;
    private final PrintStream err;
    private volatile int exitCode;
    private volatile @Nullable TallisServer server;
    private volatile @Nullable Log log;

    private Main(Clock clock, PrintStream out, PrintStream err) {
        this.clock = clock;
        this.out = out;
        this.err = err;
    }

    public static void main(String... arguments) {
        run(Clock.system(), arguments);
    }

    /// Runs a node by this clock, and ends the process.
    static void run(Clock clock, String... arguments) {
        // Programs read the output too: numbers are formatted with ASCII digits, whatever the locale of the system.
        Locale.setDefault(Locale.ROOT);
        var main = new Main(clock, System.out, System.err);
        main.run(arguments, System.getenv());
        System.exit(main.exitCode);
    }

    private void run(String[] arguments, Map<String, String> environment) {
        try {
            if (arguments.length > 0 && arguments[0].equals(KEYGEN)) {
                makeKey(arguments);
                return;
            }
            CommandLineOptions options = CommandLineOptions.parse(arguments);
            if (options.help()) {
                out.print(Usage.text());
            } else if (options.version()) {
                out.println("Tallis " + Version.TEXT);
            } else {
                serve(ConfigLoader.load(options.file(), environment, options.settings()), environment);
            }
        } catch (ConfigException | StartException refused) {
            exitCode = FAILED;
            // The reason comes last, also where the log goes to the same place.
            awaitLog();
            String.valueOf(refused.getMessage()).lines().forEach(line -> err.println("tallis: " + line));
        } catch (RuntimeException bug) {
            exitCode = FAILED;
            bug.printStackTrace(err);
        }
    }

    private void makeKey(String[] arguments) {
        if (arguments.length != 2 || arguments[1].startsWith("-")) {
            throw new ConfigException(KEYGEN + " takes one argument, the file to write the key to");
        }
        ClusterKeys.generate(Path.of(arguments[1]), Randomness.secure());
        out.println("Wrote a new key for cluster-key-file to " + arguments[1]
                + "; copy it to all nodes, and keep it secret");
    }

    private void serve(Config config, Map<String, String> environment) {
        log = Log.open(config, out);
        Thread.setDefaultUncaughtExceptionHandler(this::fail);
        Runtime.getRuntime().addShutdownHook(Threads.unstarted("shutdown", this::stop));
        try {
            TallisServer opened = TallisServer.open(config, clock, Randomness.secure());
            server = opened;
            opened.report(ServiceManager.of(environment));
            opened.start();
            opened.awaitStop();
        } catch (StartException refused) {
            if (!config.values().get(Settings.LOGFILE).isEmpty()) {
                // Main prints the reason to the standard error, which an operator with a log file may not see.
                System.getLogger(Main.class.getName())
                        .log(System.Logger.Level.ERROR, "cannot start: " + refused.getMessage());
            }
            throw refused;
        }
    }

    /// Ends the process after an uncaught exception in any thread, which is a bug: without that thread the server
    /// cannot keep its promises. Acknowledged changes are in the journal. The log gets a bounded time, since its
    /// destination may hang, or it is the thread of the log that failed.
    private void fail(Thread thread, Throwable bug) {
        try {
            var _ = TimeLimit.isMetBy(() -> logFailure(thread, bug), "log-failure", LAST_LINES_TIMEOUT);
            awaitLog();
        } finally {
            Runtime.getRuntime().halt(FAILED);
        }
    }

    private static void logFailure(Thread thread, Throwable bug) {
        System.Logger logger = System.getLogger(Main.class.getName());
        if (bug instanceof FatalException fatal) {
            logger.log(System.Logger.Level.ERROR, fatal.getMessage());
        } else {
            logger.log(System.Logger.Level.ERROR, "Thread " + thread.getName() + " failed; the process ends", bug);
        }
    }

    private void awaitLog() {
        Log opened = log;
        if (opened != null) {
            opened.awaitWritten(LAST_LINES_TIMEOUT);
        }
    }

    /// The shutdown hook: stops the server and sets the exit code. Without `halt` the JVM would exit with 128 plus the
    /// number of the signal.
    private void stop() {
        TallisServer opened = server;
        boolean clean = opened == null || opened.stop();
        awaitLog();
        Runtime.getRuntime().halt(clean ? exitCode : FAILED);
    }
}
