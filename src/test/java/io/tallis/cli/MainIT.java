package io.tallis.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallis.testing.NotifyReceiver;
import io.tallis.testing.RespSocket;
import io.tallis.testing.ServerProcess;
import io.tallis.testing.ServerProcess.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The process as its operator sees it: lines, signals, exit codes.
final class MainIT {
    @TempDir
    Path dir;

    @Test
    void terminatedServer_exitsWith0AndKeepsItsCounters() throws IOException {
        try (ServerProcess server = ServerProcess.start(dir);
                RespSocket socket = new RespSocket(server.port())) {
            assertThat(socket.call("PING")).isEqualTo("PONG");
            assertThat(socket.call("INCRBY", "visits", "42")).isEqualTo("42");
            assertThat(server.terminate()).isZero();
        }

        try (ServerProcess server = ServerProcess.start(dir);
                RespSocket socket = new RespSocket(server.port())) {
            assertThat(socket.call("GET", "visits")).isEqualTo("42");
        }
    }

    @Test
    void serviceManager_isToldOfStartAndStopAndThatTheEventLoopsAnswer() throws IOException {
        try (var manager = new NotifyReceiver(dir.resolve("notify"))) {
            List<String> environment = List.of("env", "NOTIFY_SOCKET=" + manager.path(), "WATCHDOG_USEC=300000");
            Launch supervised = new Launch(environment, List.of());
            try (ServerProcess server = ServerProcess.start(supervised, dir.resolve("data"))) {
                manager.await("READY=1");
                manager.await("WATCHDOG=1");
                manager.await("WATCHDOG=1");

                assertThat(server.terminate()).isZero();
                manager.await("STOPPING=1");
            }
        }
    }

    @Test
    void keygen_writesAKeyOnce() throws IOException {
        Path key = dir.resolve("key");

        assertThat(ServerProcess.runToEnd("keygen", key.toString()).awaitExit()).isZero();
        String made = Files.readString(key);
        ServerProcess again = ServerProcess.runToEnd("keygen", key.toString());

        assertThat(made).matches("[0-9a-f]{64}\n");
        assertThat(again.awaitExit()).isOne();
        assertThat(again.lines()).containsExactly("tallis: " + key + " exists, and a key in use must not be lost");
        assertThat(key).hasContent(made);
    }

    @Test
    void cluster_thatCannotBeSetUp_isRefusedInOneLine() {
        ServerProcess server = ServerProcess.runToEnd(
                ServerProcess.Launch.PLAIN, dir, "--cluster-name", "x", "--cluster-stack", "tcp");

        assertThat(server.awaitExit()).isOne();
        assertThat(server.lines()).containsExactly("tallis: cluster-stack tcp needs cluster-seeds");
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void clusterThatOtherMachinesReach_withoutAKey_isRefusedInOneLine() {
        ServerProcess server = ServerProcess.runToEnd(
                ServerProcess.Launch.PLAIN, dir, "--cluster-name", "x", "--cluster-bind", "0.0.0.0");

        assertThat(server.awaitExit()).isOne();
        assertThat(server.lines())
                .singleElement()
                .asString()
                .startsWith("tallis: cluster-bind 0.0.0.0 can be reached from other machines");
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void shutdownCommand_exitsWith0AndClosesTheConnection() throws IOException {
        try (ServerProcess server = ServerProcess.start(dir);
                RespSocket socket = new RespSocket(server.port())) {
            socket.call("INCR", "visits");
            socket.add("SHUTDOWN", "NOSAVE").flush();
            assertThat(server.awaitExit()).isZero();
        }

        try (ServerProcess server = ServerProcess.start(dir);
                RespSocket socket = new RespSocket(server.port())) {
            assertThat(socket.call("GET", "visits")).isEqualTo("1");
        }
    }

    @Test
    void shutdownCommand_endsTheConnectionWhenAllIsOnDisk() throws IOException {
        try (ServerProcess server = ServerProcess.start(dir);
                RespSocket socket = new RespSocket(server.port())) {
            for (int i = 0; i < 20_000; i++) {
                socket.add("INCR", "key:" + i);
            }
            socket.add("SHUTDOWN").flush();
            for (int i = 0; i < 20_000; i++) {
                assertThat(socket.read()).isEqualTo("1");
            }
            assertThatThrownBy(socket::read).isInstanceOf(IOException.class);

            Files.move(dir.resolve("journal"), dir.resolve("no-journal-needed-any-more"));
            assertThat(server.awaitExit()).isZero();
            Files.move(dir.resolve("no-journal-needed-any-more"), dir.resolve("journal"));
        }

        try (ServerProcess server = ServerProcess.start(dir);
                RespSocket socket = new RespSocket(server.port())) {
            assertThat(socket.call("DBSIZE")).isEqualTo("20000");
        }
    }

    @Test
    void dataDirectory_thatIsMovedWhileTheNodeRuns_endsTheProcessAndKeepsTheCounters() throws IOException {
        Path data = dir.resolve("data");
        Path moved = dir.resolve("moved");
        try (ServerProcess server = ServerProcess.start(data);
                RespSocket socket = new RespSocket(server.port())) {
            socket.call("INCR", "visits");

            Files.move(data, moved);

            assertThat(server.awaitExit()).isOne();
            assertThat(server.lines())
                    .last()
                    .asString()
                    .contains(data + " is no longer the data directory that this process has locked");
            assertThat(data).doesNotExist();
        }

        try (ServerProcess server = ServerProcess.start(moved);
                RespSocket socket = new RespSocket(server.port())) {
            assertThat(socket.call("GET", "visits")).isEqualTo("1");
        }
    }

    @Test
    void deletedTable_isMadeUpForWhileTheNodeServes() throws IOException {
        try (ServerProcess server = ServerProcess.start(dir);
                RespSocket socket = new RespSocket(server.port())) {
            socket.call("INCR", "visits");
            assertThat(socket.call("SAVE")).isEqualTo("OK");
            try (Stream<Path> files = Files.list(dir.resolve("cells-1"))) {
                for (Path table :
                        files.filter(file -> file.toString().endsWith(".sst")).toList()) {
                    Files.delete(table);
                }
            }

            await().until(() -> Files.readString(dir.resolve("current")).equals("cells-2\n"));
            await().until(() -> socket.call("INFO", "persistence").contains("aof_last_write_status:ok"));
            socket.call("INCR", "visits");
            server.kill();
        }

        try (ServerProcess server = ServerProcess.start(dir);
                RespSocket socket = new RespSocket(server.port())) {
            assertThat(socket.call("GET", "visits")).isEqualTo("2");
        }
    }

    /// So that it can be moved back.
    @Test
    void start_withoutTheJournal_leavesNoneBehind() throws IOException {
        try (ServerProcess server = ServerProcess.start(dir);
                RespSocket socket = new RespSocket(server.port())) {
            socket.call("INCR", "visits");
            server.terminate();
        }
        Files.move(dir.resolve("journal"), dir.resolve("moved"));

        ServerProcess refused = ServerProcess.runToEnd("--bind", "127.0.0.1", "--port", "0", "--dir", dir.toString());

        assertThat(refused.awaitExit()).isOne();
        assertThat(refused.lines()).last().asString().contains("put it back");
        assertThat(dir.resolve("journal")).doesNotExist();
        Files.move(dir.resolve("moved"), dir.resolve("journal"));
        try (ServerProcess server = ServerProcess.start(dir);
                RespSocket socket = new RespSocket(server.port())) {
            assertThat(socket.call("GET", "visits")).isEqualTo("1");
        }
    }

    @Test
    void damagedDirectory_isOneLineAndExit1() throws IOException {
        try (ServerProcess server = ServerProcess.start(dir);
                RespSocket socket = new RespSocket(server.port())) {
            socket.call("INCR", "visits");
            server.terminate();
        }
        Files.writeString(dir.resolve("cells-1").resolve("CURRENT"), "damage");

        ServerProcess server = ServerProcess.runToEnd("--bind", "127.0.0.1", "--port", "0", "--dir", dir.toString());

        assertThat(server.awaitExit()).isEqualTo(1);
        assertThat(server.lines())
                .last()
                .asString()
                .startsWith("tallis: " + dir.resolve("cells-1"))
                .contains("does not start over damage");
    }

    @Test
    void dataDirectory_whoseLockFileIsReplaced_endsTheProcessWithOneLineAndExit1() throws IOException {
        try (ServerProcess server = ServerProcess.start(dir)) {
            Files.move(dir.resolve("lock"), dir.resolve("moved"));
            Files.writeString(dir.resolve("lock"), "1");

            assertThat(server.awaitExit()).isOne();
            assertThat(server.lines())
                    .last()
                    .asString()
                    .contains(dir + " is no longer the data directory that this process has locked");
        }
    }

    @Test
    void startedServer_saysWhatItIsAndWhere() {
        try (ServerProcess server = ServerProcess.start(dir, "--name", "tower")) {
            assertThat(String.join("\n", server.lines()))
                    .contains("Tallis ", "node tower", dir.toString(), "Listening on 127.0.0.1:" + server.port())
                    .contains("Loaded 0 keys", "Ready to accept connections")
                    .contains(" seconds; no counters were found in " + dir);
        }
    }

    @Test
    void startedServer_logsAllAddressesItListensOn() {
        try (ServerProcess server = ServerProcess.begin(Launch.PLAIN, "127.0.0.1 127.0.0.2", dir)) {
            await().untilAsserted(() -> assertThat(String.join("\n", server.lines()))
                    .containsPattern("Listening on 127\\.0\\.0\\.1:(\\d+), 127\\.0\\.0\\.2:\\1 \\("));
        }
    }

    @Test
    void settingsOfRedis_thatAreTrueHere_areTaken() {
        try (ServerProcess server = ServerProcess.start(dir, "--save", "", "--appendonly", "yes")) {
            assertThat(server.isReady()).isTrue();
        }
    }

    @Test
    void busyPort_isOneLineAndExit1() {
        try (ServerProcess first = ServerProcess.start(dir.resolve("a"))) {
            String port = Integer.toString(first.port());
            ServerProcess second = ServerProcess.runToEnd(
                    "--bind",
                    "127.0.0.1",
                    "--port",
                    port,
                    "--dir",
                    dir.resolve("b").toString());

            assertThat(second.awaitExit()).isEqualTo(1);
            assertThat(second.lines()).last().asString().startsWith("tallis: ").contains("127.0.0.1:" + port);
        }
    }

    @Test
    void failedStart_isToldInTheLogFileTooAndLeavesNoDirectory() throws IOException {
        Path log = dir.resolve("log");
        try (ServerProcess first = ServerProcess.start(dir.resolve("a"))) {
            ServerProcess second = ServerProcess.runToEnd(
                    "--bind",
                    "127.0.0.1",
                    "--port",
                    Integer.toString(first.port()),
                    "--dir",
                    dir.resolve("b").toString(),
                    "--logfile",
                    log.toString());

            assertThat(second.awaitExit()).isEqualTo(1);
        }

        assertThat(Files.readString(log)).contains("cannot start: ");
        assertThat(dir.resolve("b")).doesNotExist();
    }

    @Test
    void directoryInUse_isOneLineAndExit1() {
        try (ServerProcess first = ServerProcess.start(dir)) {
            ServerProcess second =
                    ServerProcess.runToEnd("--bind", "127.0.0.1", "--port", "0", "--dir", dir.toString());

            assertThat(second.awaitExit()).isEqualTo(1);
            assertThat(second.lines()).last().asString().startsWith("tallis: ").contains(dir.toString());
            assertThat(first.port()).isPositive();
        }
    }

    @Test
    void directoryThatIsAFile_isOneLineAndExit1() throws IOException {
        Path file = Files.writeString(dir.resolve("file"), "");

        ServerProcess server = ServerProcess.runToEnd("--port", "0", "--dir", file.toString());

        assertThat(server.awaitExit()).isEqualTo(1);
        assertThat(server.lines()).last().asString().startsWith("tallis: ").contains(file.toString());
    }

    @Test
    void settingOfRedisThatCannotBe_isOneLineAndExit1() {
        ServerProcess server = ServerProcess.runToEnd("--appendonly", "no");

        assertThat(server.awaitExit()).isEqualTo(1);
        assertThat(server.lines())
                .containsExactly("tallis: option --appendonly: appendonly can only be 'yes' here, not 'no': "
                        + "use 'persistence' to keep counters on disk or not");
    }

    @Test
    void badOption_isOneLineAndExit1() {
        ServerProcess server = ServerProcess.runToEnd("--prot", "1");

        assertThat(server.awaitExit()).isEqualTo(1);
        assertThat(server.lines())
                .containsExactly("tallis: option --prot: unknown setting 'prot'; did you mean 'port'?");
    }
}
