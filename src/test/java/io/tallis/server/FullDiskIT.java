package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.testing.RespSocket;
import io.tallis.testing.ServerProcess;
import io.tallis.testing.SmallDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A real process on a disk that is really full: changes are refused and reads served, and changes are accepted again
/// when there is space.
@Timeout(300)
final class FullDiskIT {
    private static final String[] SMALL_JOURNAL = {"--journal-segment-size", "1mb", "--journal-checkpoint-size", "4mb"};
    private static final int MEGABYTES = 48;
    private static final int ENOUGH = 20_000;

    @TempDir
    Path dir;

    private final CountedLoad load = new CountedLoad();
    private final Random random = new Random(1);

    @Test
    void fullFileSystem_refusesChangesServesReadsAndRecovers() throws Exception {
        try (SmallDisk disk = SmallDisk.in(dir, MEGABYTES)) {
            refusesServesAndRecovers(disk);
        }
    }

    @Test
    void limitOnFiles_refusesChangesServesReadsAndRecovers() throws Exception {
        try (SmallDisk disk = SmallDisk.limitedIn(dir)) {
            refusesServesAndRecovers(disk);
        }
    }

    private void refusesServesAndRecovers(SmallDisk disk) throws Exception {
        String misconf = "-MISCONF Errors writing to the AOF file: " + disk.complaint();
        try (ServerProcess server = disk.start(SMALL_JOURNAL);
                RespSocket socket = new RespSocket(server.port())) {
            load.run(server.port(), ENOUGH, random);
            disk.fill(0);
            await().until(() -> socket.call("INFO", "persistence").contains("aof_last_write_status:err"));

            assertThat(socket.call("INCR", "other")).startsWith(misconf);
            assertThat(load.refusals()).allMatch(text -> text.startsWith(misconf));
            assertThat(socket.call("PING")).isEqualTo("PONG");
            assertThat(Long.parseLong(socket.call("GET", "key:0"))).isPositive();
            assertThat(socket.call("INFO"))
                    .contains("aof_last_write_status:err", "journal_last_failure:" + disk.complaint())
                    .containsPattern("errorstat_MISCONF:count=[1-9]");

            disk.free();
            await().until(() -> socket.call("INCR", "other").equals("1"));
            assertThat(socket.call("INFO", "persistence")).contains("aof_last_write_status:ok");
            server.kill();
            load.awaitEnd();
        }
        try (ServerProcess server = disk.start(SMALL_JOURNAL);
                RespSocket socket = new RespSocket(server.port())) {
            load.settle(server.port(), "after a full disk and a kill");
            assertThat(socket.call("GET", "other")).isEqualTo("1");
            assertThat(server.terminate()).isZero();
        }
    }

    @Test
    void startOnAFullFileSystem_servesReadsAndAcceptsChangesWhenThereIsSpace() throws Exception {
        try (SmallDisk disk = SmallDisk.in(dir, MEGABYTES)) {
            if (!disk.countsBytes()) {
                failsWithOneLine(disk);
                return;
            }
            for (int left : new int[] {0, 8 << 10, 64 << 10, 512 << 10}) {
                startsServesAndRecovers(disk, left);
            }
        }
    }

    @Test
    void startWithoutSpaceForTheJournal_failsWithOneLineAndLosesNothing() throws Exception {
        try (SmallDisk disk = SmallDisk.limitedIn(dir)) {
            failsWithOneLine(disk);
        }
    }

    private void failsWithOneLine(SmallDisk disk) throws Exception {
        try (ServerProcess server = disk.start(SMALL_JOURNAL)) {
            load.run(server.port(), ENOUGH, random);
            server.kill();
            load.awaitEnd();
        }
        disk.fill(0);
        ServerProcess failed = disk.runToEnd(SMALL_JOURNAL);
        assertThat(failed.awaitExit()).isEqualTo(1);
        assertThat(failed.lines())
                .last()
                .asString()
                .startsWith("tallis: cannot load the data directory " + dir + ": ")
                .contains(disk.complaint() + ". Nothing is lost: start again when the disk can be used");
        disk.free();
        try (ServerProcess server = disk.start(SMALL_JOURNAL)) {
            load.settle(server.port(), "after a start that failed");
        }
    }

    private void startsServesAndRecovers(SmallDisk disk, int leftBytes) throws Exception {
        String when = "with " + leftBytes + " bytes left";
        try (ServerProcess server = disk.start(SMALL_JOURNAL)) {
            load.run(server.port(), ENOUGH, random);
            server.kill();
            load.awaitEnd();
        }
        disk.fill(leftBytes);
        try (ServerProcess server = disk.start(SMALL_JOURNAL);
                RespSocket socket = new RespSocket(server.port())) {
            load.settle(server.port(), when);
            assertThat(socket.call("PING")).isEqualTo("PONG");
            load.run(server.port(), 1, random);
            if (leftBytes == 0) {
                // Spare files may take some changes yet. With a little room a checkpoint frees more of them.
                await(when).until(() -> socket.call("INCR", "other").startsWith("-MISCONF"));
            }

            disk.free();
            await(when).until(() -> !socket.call("INCR", "other").startsWith("-"));
            await(when).untilAsserted(() -> assertTakesCheckpoints(socket));
            server.kill();
            load.awaitEnd();
        }
        try (ServerProcess server = disk.start(SMALL_JOURNAL)) {
            load.settle(server.port(), "after a start " + when);
            assertThat(server.terminate()).isZero();
        }
    }

    private static void assertTakesCheckpoints(RespSocket socket) throws IOException {
        assertThat(socket.call("SAVE")).isEqualTo("OK");
        assertThat(socket.call("INFO", "persistence")).doesNotContain("checkpoint_failure:", " is gone");
    }
}
