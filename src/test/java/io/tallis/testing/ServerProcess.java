package io.tallis.testing;

import io.tallis.cli.OffsetServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A node in a process of its own, as an operator runs it, from the classes of this build. None outlives the JVM that
/// started it, unless that one is killed by -9.
public final class ServerProcess implements AutoCloseable {
    private static final long TIMEOUT_SECONDS = 60;
    /// What a node is run from.
    private static final String JAR =
            Path.of("target/tallis.jar").toAbsolutePath().toString();

    private static final List<String> JAVA = List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xmx256m",
            "-Djava.library.path=" + Path.of("target/native").toAbsolutePath(),
            "--sun-misc-unsafe-memory-access=allow");

    private static final List<String> CACHE_OPTIONS = StartCache.options(JAVA, Path.of(JAR));

    private static final String LOOPBACK = "127.0.0.1";
    private static final Pattern LISTENING =
            Pattern.compile(".*Listening on [0-9.]+:(\\d+)(?!.* for (?:HTTP|Redis Cluster)).*");
    private static final Set<Process> LIVING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> LIVING.forEach(Process::destroyForcibly), "end-servers"));
    }

    private final Process process;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final CountDownLatch readyOrEnded = new CountDownLatch(1);
    private final Thread reader;
    private volatile int port;
    private volatile boolean ready;

    private ServerProcess(Process process) {
        this.process = process;
        LIVING.add(process);
        var _ = process.onExit().thenAccept(LIVING::remove);
        reader = Thread.ofPlatform().daemon().name("server-output").start(this::read);
    }

    /// The command that runs the JVM of a node, options added to our own, and the class or jar to run.
    public record Launch(List<String> wrapper, List<String> options, List<String> program) {
        public static final Launch PLAIN = new Launch(List.of(), List.of());

        public Launch(List<String> wrapper, List<String> options) {
            this(wrapper, options, List.of("-jar", JAR));
        }

        /// A node whose time of day is off by what the file of a [ClockOffset] says.
        public static Launch withClock(Path offset, List<String> wrapper, List<String> options) {
            List<String> all = new ArrayList<>(options);
            all.addAll(List.of("-D" + OffsetServer.FILE + "=" + offset, "--enable-native-access=ALL-UNNAMED"));
            var tests = OffsetServer.class.getProtectionDomain().getCodeSource().getLocation();
            String path = JAR + File.pathSeparator + Path.of(URI.create(tests.toString()));
            return new Launch(wrapper, all, List.of("-cp", path, OffsetServer.class.getName()));
        }
    }

    /// Runs a node with its data in `dir` until it ends by itself.
    public static ServerProcess runToEnd(Launch how, Path dir, String... settings) {
        ServerProcess server = begin(how, LOOPBACK, dir, settings);
        server.awaitExit();
        return server;
    }

    /// Starts a node on a free port of `host`, and does not wait until it is ready.
    public static ServerProcess begin(Launch how, String host, Path dir, String... settings) {
        List<String> all = new ArrayList<>(List.of("--bind", host, "--port", "0", "--dir", dir.toString()));
        all.addAll(List.of(settings));
        return launch(how, all);
    }

    /// Starts a node on a free port of 127.0.0.1 and waits until it is ready.
    public static ServerProcess start(Path dir, String... settings) {
        return start(Launch.PLAIN, dir, settings);
    }

    /// The same, with another command or options.
    public static ServerProcess start(Launch how, Path dir, String... settings) {
        ServerProcess server = begin(how, LOOPBACK, dir, settings);
        server.await();
        if (!server.ready) {
            server.close();
            throw new IllegalStateException("the server did not start: " + server.lines);
        }
        return server;
    }

    /// Runs the program with these arguments until it ends by itself.
    public static ServerProcess runToEnd(String... arguments) {
        ServerProcess server = launch(Launch.PLAIN, List.of(arguments));
        server.awaitExit();
        return server;
    }

    private static ServerProcess launch(Launch how, List<String> arguments) {
        List<String> command = new ArrayList<>(how.wrapper);
        command.addAll(JAVA);
        command.addAll(CACHE_OPTIONS);
        command.addAll(how.options);
        command.addAll(how.program);
        command.addAll(arguments);
        try {
            return new ServerProcess(
                    new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            String line;
            while ((line = output.readLine()) != null) {
                lines.add(line);
                Matcher listening = LISTENING.matcher(line);
                if (listening.matches()) {
                    port = Integer.parseInt(listening.group(1));
                }
                if (line.contains("Ready to accept connections")) {
                    ready = true;
                    readyOrEnded.countDown();
                }
            }
        } catch (IOException e) {
            lines.add("(the output ended: " + e.getMessage() + ")");
        }
        readyOrEnded.countDown();
    }

    private void await() {
        try {
            if (!readyOrEnded.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                lines.add("(neither ready nor ended after " + TIMEOUT_SECONDS + " s)");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The port for clients; 0 before it listens.
    public int port() {
        return port;
    }

    public boolean isReady() {
        return ready && process.isAlive();
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /// All output of the process, standard error included.
    public List<String> lines() {
        return List.copyOf(lines);
    }

    /// `kill -9`; returns when the process is gone.
    public void kill() {
        process.destroyForcibly();
        awaitExit();
    }

    /// SIGTERM; returns the exit code.
    public int terminate() {
        beginToTerminate();
        return awaitExit();
    }

    /// SIGTERM; does not wait for the end.
    public void beginToTerminate() {
        process.destroy();
    }

    /// Sends a signal such as STOP.
    public void signal(String signal) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid())).start();
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("kill -" + signal + " " + pid() + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Waits for the end and returns the exit code.
    public int awaitExit() {
        try {
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("the server did not end: " + lines);
            }
            reader.join();
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }
}
