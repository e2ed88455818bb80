package io.tallis.testing;

import io.tallis.testing.ServerProcess.Launch;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A directory that a test fills up, so that the system refuses the writes of a node that keeps its data there.
///
/// If the test may create a user namespace, this is a real file system of some megabytes in memory, visible to this
/// test and its nodes only. Else it is a limit on the size of files, which needs no rights on any system.
public interface SmallDisk extends AutoCloseable {
    /// The error of the system when this disk is full.
    String complaint();

    /// Whether existing data can be overwritten on a full disk, and free space is counted.
    boolean countsBytes();

    /// Starts a node with its data here.
    ServerProcess start(String... settings);

    /// Runs a node that cannot start here.
    ServerProcess runToEnd(String... settings);

    /// Fills the disk up to `leftBytes`, if it counts free space; else completely.
    void fill(int leftBytes) throws IOException;

    /// Frees the space again.
    void free() throws IOException;

    @Override
    void close() throws IOException;

    /// A file system if possible, else a limit.
    static SmallDisk in(Path dir, int megabytes) throws IOException {
        SmallDisk mounted = Mounted.tryIn(dir, megabytes);
        return mounted == null ? new Limited(dir) : mounted;
    }

    static SmallDisk limitedIn(Path dir) {
        return new Limited(dir);
    }

    private static Process run(String... command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /// A file system in a namespace that exists as long as an idle process.
    final class Mounted implements SmallDisk {
        private static final int BLOCK = 1 << 12;

        private final Process keeper;
        private final Path dir;

        private Mounted(Process keeper, Path dir) {
            this.keeper = keeper;
            this.dir = dir;
        }

        private static @Nullable Mounted tryIn(Path dir, int megabytes) throws IOException {
            String mount = "mount -t tmpfs -o size=" + megabytes + "m tmpfs \"$0\" && echo mounted && exec cat";
            Process keeper;
            try {
                keeper = run("unshare", "-rm", "sh", "-c", mount, dir.toString());
            } catch (IOException noSuchCommand) {
                return null;
            }
            byte[] answer = keeper.getInputStream().readNBytes("mounted\n".length());
            if (new String(answer, StandardCharsets.UTF_8).equals("mounted\n")) {
                return new Mounted(keeper, dir);
            }
            keeper.destroyForcibly();
            return null;
        }

        @Override
        public String complaint() {
            return "No space left on device";
        }

        @Override
        public boolean countsBytes() {
            return true;
        }

        @Override
        public ServerProcess start(String... settings) {
            return ServerProcess.start(inside(), dir, settings);
        }

        @Override
        public ServerProcess runToEnd(String... settings) {
            return ServerProcess.runToEnd(inside(), dir, settings);
        }

        private Launch inside() {
            String pid = Long.toString(keeper.pid());
            return new Launch(List.of("nsenter", "--preserve-credentials", "-U", "-m", "-t", pid), List.of());
        }

        private Path filler() {
            return Path.of(
                    "/proc",
                    Long.toString(keeper.pid()),
                    "root",
                    dir.resolve("filler").toString());
        }

        @Override
        public void fill(int leftBytes) throws IOException {
            Path left = filler().resolveSibling("left");
            Files.write(left, new byte[leftBytes]);
            try (OutputStream out = Files.newOutputStream(filler())) {
                byte[] block = new byte[BLOCK];
                while (true) {
                    out.write(block);
                }
            } catch (IOException full) {
                Files.delete(left);
            }
        }

        @Override
        public void free() throws IOException {
            Files.delete(filler());
        }

        @Override
        public void close() {
            keeper.destroyForcibly();
        }
    }

    /// A limit that is set on the running node and on those that start later.
    final class Limited implements SmallDisk {
        private static final String NONE = "--fsize=unlimited";
        private static final String FULL = "--fsize=1:unlimited";

        private final Path dir;
        private String limit = NONE;
        private ServerProcess running;

        private Limited(Path dir) {
            this.dir = dir;
        }

        @Override
        public String complaint() {
            return "File too large";
        }

        @Override
        public boolean countsBytes() {
            return false;
        }

        @Override
        public ServerProcess start(String... settings) {
            running = ServerProcess.start(limited(), dir, settings);
            return running;
        }

        @Override
        public ServerProcess runToEnd(String... settings) {
            return ServerProcess.runToEnd(limited(), dir, settings);
        }

        private Launch limited() {
            return new Launch(List.of("prlimit", limit), List.of());
        }

        @Override
        public void fill(int leftBytes) throws IOException {
            apply(FULL);
        }

        @Override
        public void free() throws IOException {
            apply(NONE);
        }

        private void apply(String now) throws IOException {
            limit = now;
            if (running != null && running.isAlive()) {
                Process prlimit = run("prlimit", "--pid", Long.toString(running.pid()), now);
                String output = new String(prlimit.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                if (!output.isEmpty()) {
                    throw new IOException(output);
                }
            }
        }

        @Override
        public void close() {}
    }
}
