package io.tallis.bench;

import io.tallis.runtime.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A running server: a process of ours on a free port of the loopback interface, with a data directory of its own.
final class ServerUnderTest implements AutoCloseable {
    private static final Duration LONGEST_START = Duration.ofMinutes(3);
    private static final Duration LONGEST_STOP = Duration.ofMinutes(2);
    private static final Duration LONGEST_UNREST = Duration.ofMinutes(3);

    /// A server is at rest when it takes no more than this share of a core for this long.
    private static final double REST_SHARE = 0.05;

    private static final long REST_MILLIS = 200;
    private static final int LOG_LINES_SHOWN = 5;

    private final ServerKind kind;
    private final int port;
    private final Path log;
    private final long startedNanos = Clock.system().nanos();
    private final Process process;
    private final Thread killer;
    private final Admin admin = new Admin();
    private final ProcStat stat;
    private double millisToListen;
    private double millisToReady;

    /// Starts a server on the data in `directory` and waits until it answers `PING` with `PONG`.
    ServerUnderTest(ServerKind kind, Path directory, Fsync fsync) {
        this.kind = kind;
        port = freePort();
        log = directory.resolveSibling(directory.getFileName() + ".log");
        process = launch(kind.command(port, directory, fsync), directory);
        killer = new Thread(process::destroyForcibly);
        stat = new ProcStat(process.pid());
        Runtime.getRuntime().addShutdownHook(killer);
        try {
            awaitReady();
            requireOwnProcess();
        } catch (RuntimeException failure) {
            close();
            throw failure;
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException failure) {
            throw new BenchException("no free port", failure);
        }
    }

    private Process launch(List<String> command, Path directory) {
        try {
            Files.createDirectories(directory);
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException failure) {
            throw new BenchException("cannot start " + title(), failure);
        }
    }

    private void awaitReady() {
        Waiting.until(title() + " listens", LONGEST_START, () -> {
            if (!process.isAlive()) {
                throw new BenchException(title() + " stopped while starting: " + endOfLog());
            }
            return admin.connect(port);
        });
        millisToListen = millisSinceStart();
        Waiting.until(title() + " is ready", LONGEST_START, () -> {
            boolean ready = isReady(admin.ask("PING"));
            if (!ready) {
                // Who asks all the time takes from it what is measured; to a hundredth is near enough.
                Waiting.pause((long) millisSinceStart() / 100);
            }
            return ready;
        });
        millisToReady = millisSinceStart();
    }

    private boolean isReady(Admin.Answer answer) {
        if (answer.error() && !answer.text().startsWith("LOADING")) {
            throw new BenchException(title() + " answered PING with: " + answer.text() + " " + endOfLog());
        }
        return answer.text().equals("PONG");
    }

    /// Throws when what we started only started what we measure: CPU and memory would be another process's.
    private void requireOwnProcess() {
        String pid = admin.info("process_id");
        if (!pid.equals(Long.toString(process.pid()))) {
            throw new BenchException(title() + " runs as process " + pid + ", started was " + process.pid());
        }
    }

    private String endOfLog() {
        try {
            var lines = Files.readAllLines(log);
            return String.join(" / ", lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()));
        } catch (IOException failure) {
            return "(no log: " + failure + ")";
        }
    }

    private String title() {
        return kind.side().title();
    }

    int port() {
        return port;
    }

    long pid() {
        return process.pid();
    }

    Admin admin() {
        return admin;
    }

    ProcStat stat() {
        return stat;
    }

    /// Milliseconds from just before the process was made until it took a connection.
    double millisToListen() {
        return millisToListen;
    }

    /// Milliseconds from just before the process was made to the first `PONG`.
    double millisToReady() {
        return millisToReady;
    }

    /// Milliseconds since just before the process was made.
    double millisSinceStart() {
        return (Clock.system().nanos() - startedNanos) / 1e6;
    }

    /// Stands the process still, so that it is absent to all others.
    void suspend() {
        signal("STOP");
    }

    /// Ends that.
    void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        Commands.run(List.of("sh", "-c", "kill -" + name + " " + pid()), Duration.ofSeconds(10));
    }

    /// Waits until what earlier requests have caused in the background is done.
    void awaitRest() {
        Waiting.until(title() + " is at rest", LONGEST_UNREST, () -> {
            double before = stat.cpuSeconds();
            Waiting.pause(REST_MILLIS);
            return stat.cpuSeconds() - before <= REST_SHARE * REST_MILLIS / 1_000;
        });
    }

    /// Stops the server as an operator does, and waits for its end; throws unless it ended well.
    void stop() {
        admin.close();
        process.destroy();
        if (!awaitEnd()) {
            throw new BenchException(title() + " did not stop within " + LONGEST_STOP.toSeconds() + " s");
        }
        // 143 is what the shell and the JVM say of a process that ended by SIGTERM.
        if (process.exitValue() != 0 && process.exitValue() != 143) {
            throw new BenchException(title() + " stopped with " + process.exitValue() + ": " + endOfLog());
        }
    }

    private boolean awaitEnd() {
        try {
            return process.waitFor(LONGEST_STOP.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// Stops the server by force if it still runs.
    @Override
    public void close() {
        admin.close();
        process.destroyForcibly();
        boolean _ = awaitEnd();
        try {
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (IllegalStateException _) {
            // The hook is running already.
        }
    }
}
