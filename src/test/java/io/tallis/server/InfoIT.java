package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands about the node, on a whole server.
final class InfoIT {
    @TempDir
    Path dir;

    private LocalServer server;
    private RespSocket socket;

    @BeforeEach
    void start() throws IOException {
        server = LocalServer.inMemory("name", "tower", "enable-debug-command", "yes", "io-threads", "1");
        socket = new RespSocket(server.port());
    }

    @AfterEach
    void stop() throws IOException {
        socket.close();
        server.close();
    }

    @Test
    void info_hasWhatRedisCliStatReads() throws IOException {
        socket.call("INCR", "a");

        assertThat(fields("INFO"))
                .containsEntry("db0", "keys=1,expires=0,avg_ttl=0")
                .containsKeys(
                        "used_memory",
                        "connected_clients",
                        "blocked_clients",
                        "total_commands_processed",
                        "total_connections_received",
                        "rdb_bgsave_in_progress",
                        "aof_rewrite_in_progress")
                .containsEntry("loading", "0")
                .containsEntry("role", "master")
                .containsEntry("cluster_enabled", "0")
                .containsEntry("node_name", "tower")
                .containsEntry("tcp_port", Integer.toString(server.port()));
    }

    @Test
    void info_countsDeadlines() throws IOException {
        socket.call("SET", "a", "text", "PX", "100000");
        socket.call("SET", "b", "1", "EX", "200");
        socket.call("INCR", "c");

        String keys = fields("INFO").get("db0");

        assertThat(keys).startsWith("keys=3,expires=2,avg_ttl=1");
        // Long enough not to be over when the server sees it: then it would be a DEL.
        socket.call("PEXPIRE", "a", "1000");
        await().untilAsserted(() -> assertThat(fields("INFO")).containsEntry("expired_keys", "1"));
        assertThat(fields("INFO").get("db0")).startsWith("keys=2,expires=1,avg_ttl=");
    }

    @Test
    void longestValue_isASettingThatCanChange() throws IOException {
        assertThat(socket.call("SET", "a", "x".repeat(65_537))).asString().contains("(value-max-len)");

        socket.call("CONFIG", "SET", "value-max-len", "100kb");
        assertThat(socket.call("SET", "a", "x".repeat(65_537))).isEqualTo("OK");
        socket.call("CONFIG", "SET", "value-max-len", "64");

        assertThat(socket.call("SET", "b", "x".repeat(65))).asString().contains("(value-max-len)");
        assertThat(socket.call("STRLEN", "a")).isEqualTo("65537");
    }

    /// A tool that closes idle clients must not close those that receive messages.
    @Test
    void clientThatIsSentMessages_isNotIdle() throws Exception {
        try (RespSocket listener = new RespSocket(server.port());
                RespSocket silent = new RespSocket(server.port())) {
            listener.call("CLIENT", "SETNAME", "listener");
            silent.call("CLIENT", "SETNAME", "silent");
            listener.call("SUBSCRIBE", "news");

            await().untilAsserted(
                            () -> assertThat(lineOf("silent")).doesNotContain(" idle=0 ", " idle=1 ", " idle=2 "));
            socket.call("PUBLISH", "news", "something");
            assertThat(listener.read()).contains("something");

            assertThat(lineOf("listener")).containsAnyOf(" idle=0 ", " idle=1 ");
        }
    }

    private String lineOf(String name) throws IOException {
        return String.valueOf(socket.call("CLIENT", "LIST"))
                .lines()
                .filter(line -> line.contains(" name=" + name + " "))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void info_ofCommands_countsCallsAndErrors() throws IOException {
        socket.call("INCR", "a");
        socket.call("INCR", "a");
        socket.call("INCR");
        socket.call("INCRBY", "a", "x");
        // Answered by another thread.
        socket.call("SYSTEM", "FORGET", "nobody");

        Map<String, String> fields = fields("INFO", "commandstats", "errorstats");

        assertThat(fields.get("cmdstat_incr")).startsWith("calls=2,").endsWith("rejected_calls=1,failed_calls=0");
        assertThat(fields.get("cmdstat_incrby")).endsWith("failed_calls=1");
        assertThat(fields.get("cmdstat_system|forget")).endsWith("failed_calls=1");
        assertThat(fields).containsEntry("errorstat_ERR", "count=3").doesNotContainKey("used_memory");
    }

    @Test
    void info_ofReading_countsKeysThatAreThereOrNot() throws IOException {
        socket.call("INCR", "a");
        socket.call("MGET", "a", "b", "a");

        Map<String, String> fields = fields("INFO", "stats");

        assertThat(fields).containsEntry("keyspace_hits", "2").containsEntry("keyspace_misses", "1");
        assertThat(fields.get("total_reads_processed")).isEqualTo("3");
        assertThat(fields.get("total_writes_processed")).isEqualTo("2");
        socket.call("CONFIG", "RESETSTAT");
        assertThat(fields("INFO", "stats")).containsEntry("keyspace_hits", "0");
    }

    @Test
    void info_ofTheNetwork_isStartedFromNothingByResetstat() throws IOException {
        socket.call("CLIENT", "SETNAME", "x".repeat(1000));

        socket.call("CONFIG", "RESETSTAT");

        Map<String, String> stats = fields("INFO", "stats");
        assertThat(stats)
                .containsEntry("total_connections_received", "0")
                .containsEntry("total_commands_processed", "1");
        assertThat(Integer.parseInt(stats.get("total_net_input_bytes"))).isBetween(1, 100);
        assertThat(fields("INFO", "clients")).containsEntry("connected_clients", "1");
    }

    @Test
    void info_ofMemory_addsUp() throws IOException {
        for (int i = 0; i < 1000; i++) {
            socket.call("INCR", "key:" + i);
        }

        Map<String, String> fields = fields("INFO", "memory");

        long used = Long.parseLong(fields.get("used_memory"));
        long resident = Long.parseLong(fields.get("used_memory_rss"));
        assertThat(Long.parseLong(fields.get("used_memory_overhead"))
                        + Long.parseLong(fields.get("used_memory_dataset")))
                .isEqualTo(used);
        assertThat(used).isBetween(20_000L, 500_000L);
        assertThat(fields.get("used_memory_peak_perc")).isEqualTo("100.00%");
        assertThat(Long.parseLong(fields.get("total_system_memory"))).isGreaterThan(resident);
        assertThat(Double.parseDouble(fields.get("mem_fragmentation_ratio"))).isBetween(1.0, 4.0);
        assertThat(fields.get("mem_fragmentation_bytes")).isEqualTo(fields.get("used_memory_free"));
        assertThat(Long.parseLong(fields.get("allocator_active")))
                .isGreaterThanOrEqualTo(Long.parseLong(fields.get("allocator_allocated")));
    }

    /// A JVM takes 100 MB for it, which monitoring must not take for fragmentation.
    @Test
    void info_ofASingleCounter_hasAnUnsuspiciousFragmentation() throws IOException {
        socket.call("INCR", "a");

        Map<String, String> fields = fields("INFO", "memory");

        assertThat(Double.parseDouble(fields.get("mem_fragmentation_ratio"))).isBetween(1.0, 20.0);
    }

    @Test
    void info_ofMaxmemory_isTheLimitInForce() throws IOException {
        assertThat(socket.call("CONFIG", "GET", "maxmemory")).isEqualTo("[maxmemory, 0]");
        long ofHeap = Long.parseLong(fields("INFO", "memory").get("maxmemory"));

        socket.call("CONFIG", "SET", "maxmemory", "10mb");

        assertThat(ofHeap)
                .isBetween(
                        Runtime.getRuntime().maxMemory() / 4,
                        Runtime.getRuntime().maxMemory());
        assertThat(fields("INFO", "memory"))
                .containsEntry("maxmemory", "10485760")
                .containsEntry("maxmemory_human", "10.00M");
    }

    /// As in Redis, the request that is being handled counts.
    @Test
    void clientList_showsTheBytesOfRequests() throws IOException {
        assertThat(socket.call("CLIENT", "LIST")).contains(" qbuf=26 ");

        socket.add("CLIENT", "LIST").add("PING").flush();

        assertThat(socket.read()).contains(" qbuf=40 ");
        assertThat(socket.read()).isEqualTo("PONG");
    }

    @Test
    void info_ofBackupsAndCheckpoints_countsThem() throws IOException {
        try (LocalServer onDisk = LocalServer.in(dir);
                RespSocket other = new RespSocket(onDisk.port())) {
            other.call("INCR", "a");
            assertThat(other.call("INFO", "persistence"))
                    .contains("rdb_saves:0", "rdb_last_bgsave_time_sec:-1", "rdb_changes_since_last_save:1");

            other.call("SAVE");

            assertThat(other.call("INFO", "persistence"))
                    .contains("rdb_saves:1", "rdb_last_bgsave_status:ok", "rdb_changes_since_last_save:0")
                    .contains("rdb_current_bgsave_time_sec:-1", "aof_rewrites:1", "aof_rewrite_scheduled:0")
                    .containsPattern("rdb_last_bgsave_time_sec:\\d")
                    .containsPattern("aof_base_size:[1-9]");
        }
    }

    @Test
    void info_withNothingOnDisk_saysThatNothingWasSaved() throws IOException {
        socket.call("INCR", "a");

        assertThat(fields("INFO", "persistence"))
                .containsEntry("aof_enabled", "0")
                .containsEntry("rdb_changes_since_last_save", "1")
                .containsEntry("rdb_saves", "0")
                .containsEntry("aof_current_size", "0");
    }

    @Test
    void debugObject_describesTheCounter() throws IOException {
        socket.call("INCR", "a");
        socket.call("GCOUNT", "INC", "g", "5");

        assertThat(socket.call("DEBUG", "OBJECT", "a"))
                .matches("Value at:partition-\\d+ refcount:1 encoding:int serializedlength:\\d+ shards:1");
        assertThat(socket.call("DEBUG", "OBJECT", "g")).contains(" encoding:gcount ");
        assertThat(socket.call("DEBUG", "OBJECT", "nothing")).isEqualTo("-ERR no such key");
    }

    @Test
    void debugObject_withoutPermission_isRefused() throws IOException {
        try (LocalServer strict = LocalServer.inMemory();
                RespSocket other = new RespSocket(strict.port())) {
            assertThat(other.call("DEBUG", "OBJECT", "a")).startsWith("-ERR DEBUG command not allowed.");
        }
    }

    @Test
    void info_ofDeletedCounters_countsTheirCells() throws IOException {
        socket.call("INCR", "a");
        socket.call("DEL", "a");

        assertThat(fields("INFO", "tallis"))
                .containsEntry("keys", "0")
                .containsEntry("cells", "1")
                .containsEntry("deleted_cells", "1");
    }

    @Test
    void info_ofKeyWithBothTypes_countsNoCellAsDeletedUntilOneIs() throws IOException {
        socket.call("INCR", "a");
        socket.call("GCOUNT", "INC", "a", "1");
        assertThat(fields("INFO", "tallis")).containsEntry("cells", "2").containsEntry("deleted_cells", "0");

        socket.call("GCOUNT", "DEL", "a");

        assertThat(fields("INFO", "tallis")).containsEntry("keys", "1").containsEntry("deleted_cells", "1");
    }

    @Test
    void config_getsByPatternAndSetsAtOnceOrNotAtAll() throws IOException {
        assertThat(socket.call("CONFIG", "GET", "databases", "APPENDONLY", "sav*"))
                .isEqualTo("[databases, 1, APPENDONLY, no, save, ]");
        assertThat(socket.call("CONFIG", "SET", "timeout", "7", "maxclients", "none"))
                .isEqualTo("-ERR CONFIG SET failed (possibly related to argument 'maxclients') - "
                        + "argument couldn't be parsed into an integer");
        assertThat(socket.call("CONFIG", "GET", "timeout")).isEqualTo("[timeout, 0]");
        assertThat(socket.call("CONFIG", "SET", "timeout", "7", "maxclients", "50"))
                .isEqualTo("OK");
        assertThat(socket.call("CONFIG", "GET", "timeout")).isEqualTo("[timeout, 7]");
        assertThat(socket.call("CONFIG", "SET", "port", "1"))
                .isEqualTo("-ERR CONFIG SET failed (possibly related to argument 'port') - can't set immutable config");
        assertThat(socket.call("CONFIG", "SET", "save", "", "appendonly", "no", "databases", "1"))
                .isEqualTo("OK");
        assertThat(socket.call("CONFIG", "SET", "prot", "1"))
                .isEqualTo("-ERR Unknown option or number of arguments for CONFIG SET - 'prot'");
        assertThat(socket.call("CONFIG", "REWRITE")).isEqualTo("-ERR The server is running without a config file");
    }

    @Test
    void slowlog_showsTheWordsOfWhatWasSlow() throws IOException {
        socket.call("CONFIG", "SET", "slowlog-log-slower-than", "0");
        socket.call("INCRBY", "a", "5");

        assertThat(socket.call("SLOWLOG", "GET", "1")).contains("[INCRBY, a, 5], 127.0.0.1:");
        assertThat(socket.call("SLOWLOG", "RESET")).isEqualTo("OK");
    }

    @Test
    void latency_showsHistogramsByCommand() throws IOException {
        socket.call("INCR", "a");

        assertThat(socket.call("LATENCY", "HISTOGRAM", "incr")).startsWith("[incr, [calls, 1, histogram_usec, [");
        assertThat(socket.call("LATENCY", "LATEST")).isEqualTo("[]");
        assertThat(socket.call("LATENCY", "DOCTOR")).contains("latency-monitor-threshold");
    }

    @Test
    void flushAll_deletesEveryCounterForGood() throws IOException {
        for (int i = 0; i < 2000; i++) {
            socket.add("INCR", "key:" + i).add("GCOUNT", "INC", "g:" + i, "3");
        }
        socket.flush();
        for (int i = 0; i < 4000; i++) {
            socket.read();
        }

        assertThat(socket.call("FLUSHALL")).isEqualTo("OK");

        assertThat(socket.call("DBSIZE")).isEqualTo("0");
        assertThat(socket.call("GET", "key:7")).isEqualTo("(nil)");
        assertThat(socket.call("INCR", "key:7")).isEqualTo("1");
    }

    @Test
    void monitor_showsWhatOthersDo() throws IOException {
        assertThat(socket.call("MONITOR")).isEqualTo("OK");

        try (RespSocket other = new RespSocket(server.port())) {
            other.call("INCRBY", "a b", "2");
        }

        assertThat(socket.read()).matches("\\d+\\.\\d{6} \\[0 127\\.0\\.0\\.1:\\d+] \"INCRBY\" \"a b\" \"2\"");
    }

    @Test
    void debugSleep_keepsOnlyItsOwnClientWaiting() throws IOException {
        socket.add("DEBUG", "SLEEP", "0.5").add("PING").flush();
        try (RespSocket other = new RespSocket(server.port())) {
            assertThat(other.call("INFO", "clients")).contains("blocked_clients:1");
            assertThat(other.call("CLIENT", "LIST"))
                    .containsPattern("(?m)^id=.* fd=\\d+ .* flags=b .* qbuf=14 .* cmd=debug ")
                    .containsPattern("(?m)^id=.* flags=N .* events=r cmd=client\\|list user=default redir=-1 resp=2 ");
        }

        assertThat(socket.read()).isEqualTo("OK");
        assertThat(socket.read()).isEqualTo("PONG");
    }

    @Test
    void debugDigest_isEqualForEqualCounters() throws IOException {
        String empty = socket.call("DEBUG", "DIGEST");
        socket.call("INCR", "a");
        String one = socket.call("DEBUG", "DIGEST");

        assertThat(one).hasSize(40).isNotEqualTo(empty);
        assertThat(socket.call("DEBUG", "DIGEST")).isEqualTo(one);
    }

    @Test
    void save_makesACopyUnderTheDirectory() throws IOException {
        try (LocalServer onDisk = LocalServer.in(dir);
                RespSocket other = new RespSocket(onDisk.port())) {
            other.call("INCR", "a");

            assertThat(other.call("SAVE")).isEqualTo("OK");

            assertThat(dir.resolve("backup")).isNotEmptyDirectory();
            assertThat(Long.parseLong(other.call("LASTSAVE"))).isPositive();
        }
    }

    @Test
    void save_thatFails_saysWhatAndWhy() throws IOException {
        try (LocalServer onDisk = LocalServer.in(dir);
                RespSocket other = new RespSocket(onDisk.port())) {
            Path backups = dir.resolve("backup");
            Files.delete(backups);
            Files.writeString(backups, "in the way");

            assertThat(other.call("SAVE"))
                    .isEqualTo("-ERR cannot make a backup in " + backups + ": Not a directory: " + backups);
        }
    }

    @Test
    void bgRewriteAof_takesACheckpoint() throws IOException {
        try (LocalServer onDisk = LocalServer.in(dir);
                RespSocket other = new RespSocket(onDisk.port())) {
            other.call("INCR", "a");

            assertThat(other.call("BGREWRITEAOF")).isEqualTo("Background append only file rewriting started");

            await().until(() -> other.call("INFO", "persistence").contains("checkpoint_last_cells:1"));
        }
    }

    @Test
    void databaseOfDeletedCounters_isTold() throws IOException {
        try (LocalServer onDisk = LocalServer.in(dir);
                RespSocket other = new RespSocket(onDisk.port())) {
            other.call("MSET", "a", "1", "b", "1");
            other.call("BGREWRITEAOF");
            await().until(() -> other.call("INFO", "persistence").contains("checkpoint_last_cells:2"));
            long before = field(other, "database_deleted_cells_bytes");
            other.call("DEL", "a");

            assertThat(before).isZero();
            assertThat(field(other, "database_deleted_cells_bytes")).isEqualTo(field(other, "aof_base_size") / 2);
        }
    }

    private static long field(RespSocket socket, String name) throws IOException {
        return socket.call("INFO", "persistence")
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void save_withNothingOnDisk_saysSo() throws IOException {
        assertThat(socket.call("BGSAVE"))
                .isEqualTo("-ERR nothing is saved to disk: the server runs with persistence no");
        assertThat(socket.call("BGREWRITEAOF"))
                .isEqualTo("-ERR nothing is saved to disk: the server runs with persistence no");
    }

    @Test
    void memoryUsage_ofKey_isSome() throws IOException {
        socket.call("INCR", "a");

        assertThat(Long.parseLong(socket.call("MEMORY", "USAGE", "a"))).isBetween(10L, 200L);
        assertThat(socket.call("MEMORY", "USAGE", "nothing")).isEqualTo("(nil)");
        assertThat(socket.call("MEMORY", "PURGE")).isEqualTo("OK");
    }

    @Test
    void timeAndRole_areInRedissForm() throws IOException {
        assertThat(socket.call("TIME")).matches("\\[\\d{10}, \\d+]");
        assertThat(socket.call("ROLE")).isEqualTo("[master, 0, []]");
    }

    private Map<String, String> fields(String... words) throws IOException {
        Map<String, String> fields = new HashMap<>();
        for (String line : socket.call(words).lines().toList()) {
            String[] parts = line.split(":", 2);
            if (parts.length == 2) {
                fields.put(parts[0], parts[1]);
            }
        }
        return fields;
    }
}
