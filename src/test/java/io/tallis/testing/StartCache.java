package io.tallis.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// The JVM's ahead-of-time cache for nodes that tests start, some hundred in a build: they start sooner with it. The
/// first JVM that needs it makes it, and the others wait.
final class StartCache {
    private static final Path CACHE = Path.of("target/tests.aot").toAbsolutePath();

    private static final int SECONDS_TO_MAKE = 60;

    private StartCache() {}

    /// The options with which `command`, a JVM with the options of nodes up to `-jar`, uses the cache. A JVM that it
    /// does not fit starts without it.
    static List<String> options(List<String> command, Path jar) {
        try (FileChannel channel = FileChannel.open(
                        CACHE.resolveSibling("tests.aot.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            if (!Files.exists(CACHE)
                    || Files.getLastModifiedTime(CACHE).compareTo(Files.getLastModifiedTime(jar)) < 0) {
                make(command, jar);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return List.of("-XX:AOTCache=" + CACHE, "-Xlog:aot=off");
    }

    /// The JVM of a node that starts and stops writes the cache.
    private static void make(List<String> command, Path jar) throws IOException, InterruptedException {
        Path made = CACHE.resolveSibling("tests.aot.new");
        Path dir = Files.createTempDirectory(CACHE.getParent(), "start-cache");
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of("-XX:AOTCacheOutput=" + made, "-jar", jar.toString()));
        all.addAll(List.of("--bind", "127.0.0.1", "--port", "0", "--dir", dir.toString()));
        Process node = new ProcessBuilder(all).redirectErrorStream(true).start();
        CompletableFuture.delayedExecutor(SECONDS_TO_MAKE, TimeUnit.SECONDS).execute(node::destroyForcibly);
        StringBuilder log = new StringBuilder();
        try (var output = node.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                log.append(line).append('\n');
                if (line.contains("Ready to accept connections")) {
                    // Process#destroy would close the output.
                    node.toHandle().destroy();
                }
            }
        }
        if (node.waitFor() != 0) {
            throw new IllegalStateException("no ahead-of-time cache was made: " + log);
        }
        Files.move(made, CACHE, StandardCopyOption.REPLACE_EXISTING);
    }
}
