package io.tallis.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Runs other programs to their end, within a bounded time.
final class Commands {
    private static final int LINES_SHOWN = 2;

    private Commands() {}

    /// What the program printed; throws when it fails or does not end in time.
    static String run(List<String> command, Duration limit) {
        try {
            Path output = Files.createTempFile("tallis-bench", ".out");
            try {
                return run(command, limit, output);
            } finally {
                Files.delete(output);
            }
        } catch (IOException failure) {
            throw new BenchException("cannot run " + command.getFirst(), failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted while " + command.getFirst() + " ran", interrupted);
        }
    }

    /// Output goes by a file: a pipe that nobody reads would stop a talkative program.
    private static String run(List<String> command, Duration limit, Path output)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new BenchException(String.join(" ", command) + " did not end within " + limit.toSeconds() + " s");
            }
        } finally {
            process.destroyForcibly();
        }
        String printed = Files.readString(output, UTF_8);
        if (process.exitValue() != 0) {
            throw new BenchException(String.join(" ", command) + " failed: " + firstLines(printed));
        }
        return printed;
    }

    private static String firstLines(String printed) {
        return printed.strip().lines().limit(LINES_SHOWN).collect(Collectors.joining(" / "));
    }

    /// Where the program is: itself when it is a path, else looked for on the PATH.
    static Optional<String> find(String program) {
        if (program.indexOf(File.separatorChar) >= 0) {
            return Files.isExecutable(Path.of(program)) ? Optional.of(program) : Optional.empty();
        }
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }
}
