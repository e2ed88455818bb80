package io.tallis.chaos;

import io.tallis.testing.ClockOffset;
import io.tallis.testing.RespSocket;
import io.tallis.testing.ServerProcess;
import io.tallis.testing.ServerProcess.Launch;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A node of a run: its process and its data directory. One thread starts and kills it; any thread may connect.
final class ChaosNode implements AutoCloseable {
    /// Processes in several namespaces have the same ids, and would share such files in `/tmp`.
    static final String NO_FILE_NAMED_BY_PID = "-XX:-UsePerfData";

    private static final String GRACE_SECONDS = "10";

    private final int number;
    private final Path dir;
    private final Network.Place place;
    private final String cluster;
    private final int mostSkewMillis;
    private final Path clockFile;
    private final ClockOffset clockOffset;
    private volatile @Nullable ServerProcess process;
    private volatile int dataGeneration;
    private volatile boolean isOldCopy;
    private volatile boolean isForgotten;
    private @Nullable Path copy;

    ChaosNode(int number, Options options, Network network, String cluster) throws IOException {
        this.cluster = cluster;
        this.number = number;
        dir = options.dir();
        place = network.place(number);
        mostSkewMillis = options.skewMillis();
        clockFile = dir.resolve("clock-of-" + this);
        clockOffset = new ClockOffset(clockFile);
    }

    int number() {
        return number;
    }

    @Override
    public String toString() {
        return "node-" + number;
    }

    int mostSkewMillis() {
        return mostSkewMillis;
    }

    /// Sets the node's clock, which runs on from there. Returns by how many milliseconds it is off now.
    long setClock(SplittableRandom random) {
        long millis = random.nextLong(-mostSkewMillis, mostSkewMillis + 1L);
        clockOffset.set(millis);
        return millis;
    }

    /// Does not wait until it is ready.
    void start() {
        List<String> settings = new ArrayList<>(List.of("--name", toString(), "--cluster-name", cluster));
        // So small that segments end and checkpoints run amid the load.
        settings.addAll(List.of("--journal-segment-size", "1mb", "--journal-checkpoint-size", "1mb"));
        // So short that ended processes are folded amid the faults.
        settings.addAll(List.of("--fold-after", "0"));
        // So short that counters are dropped amid the faults, and their keys used again.
        settings.addAll(List.of("--expiry-grace", GRACE_SECONDS));
        settings.addAll(place.settings());
        process = ServerProcess.begin(
                Launch.withClock(clockFile, place.wrapper(), List.of(NO_FILE_NAMED_BY_PID)),
                place.host(),
                data(),
                settings.toArray(String[]::new));
    }

    private Path data() {
        return dir.resolve(toString());
    }

    boolean isAlive() {
        return process.isAlive();
    }

    boolean isReady() {
        return process.isReady();
    }

    /// Whether it has read its data.
    boolean hasLoaded() {
        return process.lines().stream().anyMatch(line -> line.contains(" Loaded "));
    }

    RespSocket connect() throws IOException {
        ServerProcess running = process;
        if (running == null || !running.isAlive() || running.port() == 0) {
            throw new IOException(this + " is not running");
        }
        return new RespSocket(InetAddress.getByName(place.host()), running.port());
    }

    String call(String... words) throws IOException {
        try (RespSocket socket = connect()) {
            return socket.call(words);
        }
    }

    void signal(String signal) {
        process.signal(signal);
    }

    void kill() throws IOException {
        process.kill();
        keepOutput();
    }

    void beginToStop() {
        process.beginToTerminate();
    }

    /// The exit code.
    int awaitStop() throws IOException {
        int code = process.awaitExit();
        keepOutput();
        return code;
    }

    private void keepOutput() throws IOException {
        Files.write(dir.resolve(this + ".log"), process.lines(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /// Whether it has a data directory: one that was killed right after its data was deleted may have none.
    boolean hasData() {
        return Files.exists(data());
    }

    /// Keeps a copy of the data in place of the former copy. The node is dead.
    void takeCopy() throws IOException {
        Path kept = dir.resolve("copy-of-" + this);
        delete(kept);
        copy(data(), kept);
        copy = kept;
    }

    Optional<Path> copy() {
        return Optional.ofNullable(copy);
    }

    /// Deletes the data, and puts a copy in its place if one is given. The node is dead.
    void replaceData(@Nullable Path replacement) throws IOException {
        int before = dataGeneration;
        dataGeneration = before + 1;
        delete(data());
        isForgotten = false;
        isOldCopy = replacement != null;
        if (replacement != null) {
            copy(replacement, data());
        }
    }

    /// Keeps the data for people who look for a fault, and leaves the node without any. The node is dead.
    void moveDataAway() throws IOException {
        keepOutput();
        Files.move(data(), dir.resolve("refused-" + dataGeneration + "-of-" + this));
        replaceData(null);
    }

    /// The others have made a purge without it.
    void forgotten() {
        isForgotten = true;
    }

    boolean isForgotten() {
        return isForgotten;
    }

    /// Whether it may miss a purge.
    boolean mayBeRefused() {
        return isOldCopy || isForgotten;
    }

    /// It is in step with all others, and takes part in the next purge.
    void inStep() {
        isOldCopy = false;
        isForgotten = false;
    }

    /// Whether it has ended by itself with exit code 1 and a line with `text`.
    boolean hasEndedSaying(String text) {
        return !process.isAlive()
                && process.awaitExit() == 1
                && process.lines().stream().anyMatch(line -> line.contains(text));
    }

    PurgeNote purgeNote() {
        return PurgeNote.in(data());
    }

    /// The UUID in its data directory; empty if there is none.
    String uuid() {
        try {
            return Files.readString(data().resolve("node")).strip();
        } catch (IOException notYetThere) {
            return "";
        }
    }

    Directory directory() {
        return new Directory(number, dataGeneration);
    }

    /// The number of times that the data was replaced: whether the node has all changes that it once had.
    int dataGeneration() {
        return dataGeneration;
    }

    /// How much it has on disk.
    long dataBytes() throws IOException {
        try (Stream<Path> files = Files.walk(data())) {
            return files.mapToLong(
                            file -> file.toFile().isFile() ? file.toFile().length() : 0)
                    .sum();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }

    static void delete(Path dir) throws IOException {
        if (!Files.exists(dir)) {
            return;
        }
        try (Stream<Path> files = Files.walk(dir)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (process != null && process.isAlive()) {
            kill();
        }
    }
}
