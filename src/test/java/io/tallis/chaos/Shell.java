package io.tallis.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/// Commands of the system.
final class Shell {
    private Shell() {}

    /// Whether the command can be run and succeeds.
    static boolean succeeds(String... command) {
        try {
            Process process = begin(command);
            process.getInputStream().readAllBytes();
            return process.waitFor() == 0;
        } catch (IOException noSuchCommand) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void run(String... command) {
        try {
            Process process = begin(command);
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + " failed: " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Process begin(String... command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }
}
