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
import io.tallis.server.StartException;
import io.tallis.server.TallisServer;
import io.tallis.server.Version;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// `tallis [FILE] [--setting value ...]`: runs a node until it is told to stop. `tallis keygen FILE` makes a key
/// for a cluster instead.
///
/// Exits with 0 after SIGTERM, SIGINT and `SHUTDOWN`, and with 1 when it cannot start, or cannot stop as it should. The
/// last lines on the standard error say why.
public final class Main {
    private static final int FAILED = 1;
    private static final String KEYGEN = "keygen";
    private static final Duration PATIENCE_FOR_LAST_WORDS = Duration.ofSeconds(1);

    private final PrintStream out;
    private final PrintStream err;
    private volatile int exitCode;
    private volatile @Nullable TallisServer server;
    private volatile @Nullable Log log;

    private Main(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String... arguments) {
        // What is written is for programs too: numbers have the digits of ASCII, wherever the process runs.
        Locale.setDefault(Locale.ROOT);
        var main = new Main(System.out, System.err);
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
                serve(ConfigLoader.load(options.file(), environment, options.settings()));
            }
        } catch (ConfigException | StartException refused) {
            exitCode = FAILED;
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
        out.println(
                "A new key for cluster-key-file is in " + arguments[1] + "; copy it to all nodes, and to nobody else");
    }

    private void serve(Config config) {
        log = Log.open(config, out);
        Thread.setDefaultUncaughtExceptionHandler(this::fail);
        Runtime.getRuntime().addShutdownHook(Threads.unstarted("shutdown", this::stop));
        try {
            TallisServer opened = TallisServer.open(config, Clock.system(), Randomness.secure());
            server = opened;
            opened.start();
            opened.awaitStop();
        } catch (StartException refused) {
            if (!config.values().get(Settings.LOGFILE).isEmpty()) {
                // Whoever keeps a log file looks there; the standard error may go nowhere.
                System.getLogger(Main.class.getName())
                        .log(System.Logger.Level.ERROR, "cannot start: " + refused.getMessage());
            }
            throw refused;
        }
    }

    /// A thread that fails by a mistake of ours leaves a server behind that cannot keep its promises. What was
    /// acknowledged is in the journal, so the process ends at once, whatever becomes of the message: nobody may
    /// take it, and who writes the log may be stuck.
    private void fail(Thread thread, Throwable bug) {
        try {
            var _ = TimeLimit.isMetBy(() -> tell(thread, bug), "last-words", PATIENCE_FOR_LAST_WORDS);
            awaitLog();
        } finally {
            Runtime.getRuntime().halt(FAILED);
        }
    }

    private static void tell(Thread thread, Throwable bug) {
        System.Logger logger = System.getLogger(Main.class.getName());
        if (bug instanceof FatalException fatal) {
            logger.log(System.Logger.Level.ERROR, fatal.getMessage());
        } else {
            logger.log(System.Logger.Level.ERROR, "the thread " + thread.getName() + " failed; stopping", bug);
        }
    }

    private void awaitLog() {
        Log opened = log;
        if (opened != null) {
            opened.awaitWritten(PATIENCE_FOR_LAST_WORDS);
        }
    }

    /// After a signal the JVM would end with 128 and the signal's number, so the hook, which runs in any case, has
    /// the last word. As long as there is no server nothing was counted.
    private void stop() {
        TallisServer opened = server;
        boolean well = opened == null || opened.stop();
        awaitLog();
        Runtime.getRuntime().halt(well ? exitCode : FAILED);
    }
}
