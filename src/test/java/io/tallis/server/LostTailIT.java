package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.tallis.testing.RespSocket;
import io.tallis.testing.ServerProcess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// With `appendfsync always` no acknowledged change is lost in a power failure.
///
/// A real process is killed during pipelined increments, and then the end of its journal is destroyed, from a random
/// offset after the part that was synced according to `INFO` and to the durable marks of the frames. Changes that were
/// acknowledged before that `INFO` have to be found after the next start, and none that was not sent.
/// `-Dcrash.rounds=1000 -Dseed=17` runs longer.
final class LostTailIT {
    private static final int ROUNDS = Integer.getInteger("crash.rounds", 10);
    private static final Duration MOST =
            Duration.ofMinutes(1).plus(Duration.ofSeconds(6).multipliedBy(ROUNDS));
    private static final long SEED = Long.getLong("seed", 1);
    private static final int SECTOR = 512;
    private static final int HEAD = 73;
    private static final Pattern SYNCED =
            Pattern.compile("journal_segment:(\\d+)\\s+journal_synced_offset:(\\d+)", Pattern.DOTALL);

    private static final String[] SETTINGS = {
        "--appendfsync", "always", "--journal-segment-size", "1mb", "--journal-checkpoint-size", "2mb"
    };

    @TempDir
    Path dir;

    private final CountedLoad load = new CountedLoad();
    private final Random random = new Random(SEED);

    /// The last `INFO` of the process: the synced offset, and the changes acknowledged before the request.
    private record Report(long segment, long offset, List<Long> acknowledged) {}

    /// The end of the frames of a segment, and the highest durable mark among them.
    private record Extent(long end, long durable) {}

    @Test
    void powerFailure_keepsAllThatWasAcknowledged() {
        assertTimeoutPreemptively(MOST, this::failAgainAndAgain);
    }

    private void failAgainAndAgain() throws Exception {
        Report report = new Report(0, 0, load.acknowledged());
        for (int round = 0; round < ROUNDS; round++) {
            try (ServerProcess server = ServerProcess.start(dir, SETTINGS)) {
                load.settle(server.port(), report.acknowledged, "at the start of round " + round + ", seed " + SEED);
                load.run(server.port(), 1, random);
                report = listen(server, 1 + random.nextInt(200));
                server.kill();
                load.awaitEnd();
                assertThat(load.refusals()).isEmpty();
            }
            destroyTail(report);
        }
        try (ServerProcess server = ServerProcess.start(dir, SETTINGS)) {
            load.settle(server.port(), report.acknowledged, "at the end, seed " + SEED);
            assertThat(server.terminate()).isZero();
        }
    }

    /// Requests the synced offset several times and returns the last reply.
    private Report listen(ServerProcess server, int times) throws IOException {
        try (RespSocket socket = new RespSocket(server.port())) {
            List<Long> acknowledged = load.acknowledged();
            String info = socket.call("INFO", "persistence");
            for (int i = 1; i < times; i++) {
                acknowledged = load.acknowledged();
                info = socket.call("INFO", "persistence");
            }
            Matcher synced = SYNCED.matcher(info);
            assertThat(synced.find()).as(info).isTrue();
            return new Report(Long.parseLong(synced.group(1)), Long.parseLong(synced.group(2)), acknowledged);
        }
    }

    private void destroyTail(Report report) throws IOException {
        Path last = lastSegment();
        long number = Long.parseLong(last.getFileName().toString().replace(".log", ""));
        Extent extent = extentOf(ByteBuffer.wrap(Files.readAllBytes(last)), number);
        long reported = number == report.segment ? report.offset : HEAD;
        long safe = Math.max(reported, Math.max(HEAD, extent.durable));
        long cut = random.nextBoolean() ? safe : safe + random.nextLong(extent.end - safe + 1);
        try (RandomAccessFile file = new RandomAccessFile(last.toFile(), "rw")) {
            switch (random.nextInt(3)) {
                case 0 -> clear(file, cut);
                case 1 -> destroy(file, cut, extent.end, 100);
                default -> destroy(file, cut, extent.end, 50);
            }
        }
    }

    /// Overwrites with zeros, which were synced when the segment was preallocated.
    private static void clear(RandomAccessFile file, long from) throws IOException {
        long length = file.length();
        file.setLength(from);
        file.setLength(length);
    }

    /// Overwrites some of the sectors, like a disk that wrote only some of its cache.
    private void destroy(RandomAccessFile file, long from, long to, int percent) throws IOException {
        byte[] garbage = new byte[SECTOR];
        for (long at = from; at < to; at = (at / SECTOR + 1) * SECTOR) {
            if (random.nextInt(100) < percent) {
                random.nextBytes(garbage);
                file.seek(at);
                file.write(garbage, 0, (int) (SECTOR - at % SECTOR));
            }
        }
    }

    private Path lastSegment() throws IOException {
        try (Stream<Path> files = Files.list(dir.resolve("journal"))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList()
                    .getLast();
        }
    }

    /// Walks the frames of a segment by their headers; see the page on storage.
    private static Extent extentOf(ByteBuffer segment, long number) {
        segment.order(ByteOrder.LITTLE_ENDIAN);
        int at = 0;
        long durable = 0;
        while (segment.capacity() - at >= 32 && segment.getLong(at + 16) == number) {
            durable = Math.max(durable, segment.getLong(at + 24));
            at += 32 + segment.getInt(at + 8);
        }
        return new Extent(Math.max(at, durable), durable);
    }
}
