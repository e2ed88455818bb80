package io.tallis.command.dispatch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.command.CommandSettings;
import io.tallis.command.Subscriptions;
import io.tallis.command.Transaction;
import io.tallis.command.clients.SlowLog;
import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Merges;
import io.tallis.metrics.CommandStats;
import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The dispatcher beyond what transcripts show: statistics, slow log, log, bounds.
final class DispatcherTest {
    private final FakeServer server = new FakeServer();
    private final FakeClient client = server.connect();

    private CommandStats.Totals totals(String name) {
        return server.stats().of(server.facts().find(name).id());
    }

    /// Otherwise a client that repeats a pipeline because its first request got `LOADING` would count the rest twice.
    @Test
    void requests_thatArrivedTogether_seeTheSameStateOfLoading() {
        server.loading(true);
        FakeClient other = server.connect();
        other.says("INCR a");
        server.loading(false);

        assertThat(other.goesOn("INCR a")).startsWith("(error) LOADING");
        assertThat(other.says("INCR a")).isEqualTo("(integer) 1");
    }

    @Test
    void calls_failuresAndRejections_areCounted() {
        client.says("INCR a");
        client.says("INCRBY a x");
        client.says("INCR");
        client.says("nosuch");

        assertThat(totals("incr").calls()).isEqualTo(1);
        assertThat(totals("incr").rejected()).isEqualTo(1);
        assertThat(totals("incrby").calls()).isEqualTo(1);
        assertThat(totals("incrby").failed()).isEqualTo(1);
        assertThat(server.stats().errors()).containsEntry("ERR", 3L);
        assertThat(server.stats().errorTotal()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({
        "GET a, 1, 0",
        "GET n, 0, 1",
        "MGET a g n, 2, 1",
        "EXISTS a a n, 2, 1",
        "TOUCH a, 1, 0",
        "TYPE n, 0, 1",
        "TTL a, 1, 0",
        "STRLEN g, 1, 0",
        "OBJECT ENCODING a, 1, 0",
        "OBJECT REFCOUNT n, 0, 1",
        "GETEX a, 1, 0",
        "GETDEL n, 0, 1",
        "GETSET a 5, 1, 0",
        "GETSET n 5, 0, 1",
        "SET a 5 GET, 1, 0",
        "SET n 5 GET, 0, 1",
        "GCOUNT GET g, 1, 0",
        "PNCOUNT GET g, 0, 1",
        "PNCOUNT MGET a g, 1, 1",
        "GCOUNT RAW n, 0, 1"
    })
    void reading_countsWhetherKeysAreFound(String command, long hits, long misses) {
        client.says("INCR a");
        client.says("GCOUNT INC g 1");

        client.says(command);

        assertThat(server.stats().hits()).isEqualTo(hits);
        assertThat(server.stats().misses()).isEqualTo(misses);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"INCR a", "SET a 5", "SETNX n 5", "MSET a 1 n 2", "DEL a n", "PERSIST a", "SCAN 0", "WATCH a"})
    void whatIsNoReading_countsNoKey(String command) {
        client.says("INCR a");

        client.says(command);

        assertThat(server.stats().hits() + server.stats().misses()).isZero();
    }

    @Test
    void time_ofFastCommands_isEstimatedFromSamplesAfterTheFirstCalls() {
        server.commandsTake(8_000);
        for (int i = 0; i < 1_024; i++) {
            client.says("INCR a");
        }
        server.commandsTake(2_000);
        for (int i = 0; i < 1_600; i++) {
            client.says("INCR a");
        }
        client.says("DEL a");

        assertThat(totals("incr").calls()).isEqualTo(2_624);
        assertThat(totals("incr").nanos()).isEqualTo(1_024 * 8_000 + 1_600 * 2_000);
        assertThat(server.stats().histogram(server.facts().find("incr").id()).total())
                .isEqualTo(2_624);
        assertThat(totals("del").nanos()).isEqualTo(2_000);
    }

    @Test
    void everyCommand_isTimedWithALowSlowLogThreshold() {
        server.slowerThan(0, 0);
        for (int i = 0; i < 20; i++) {
            client.says("INCR a");
        }

        assertThat(server.slowLog().length()).isEqualTo(20);
    }

    @Test
    void slowCommands_areRecordedWithoutSecrets() {
        server.slowerThan(0, 1);
        server.commandsTake(3_000_000);
        client.says("CLIENT SETNAME me");
        client.says("AUTH default secret");
        client.says("DEL " + "k ".repeat(39) + "v".repeat(200));

        List<SlowLog.Entry> entries = server.slowLog().newest(10);
        assertThat(entries).hasSize(3);
        SlowLog.Entry last = entries.getFirst();
        assertThat(last.id()).isEqualTo(2);
        assertThat(last.micros()).isEqualTo(3_000);
        assertThat(last.clientName()).isEqualTo("me");
        assertThat(last.words()).hasSize(32);
        assertThat(text(last.words().getLast())).isEqualTo("... (10 more arguments)");
        assertThat(entries.get(1).words().stream().map(DispatcherTest::text))
                .containsExactly("AUTH", "(redacted)", "(redacted)");
        assertThat(server.latency().latest())
                .extracting(latest -> latest.event())
                .containsExactly("command", "fast-command");
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void longWords_areCutInTheSlowLog() {
        server.slowerThan(0, 0);
        client.says("ECHO " + "v".repeat(200));

        assertThat(text(server.slowLog().newest(1).getFirst().words().get(1)))
                .isEqualTo("v".repeat(128) + "... (72 more bytes)");
    }

    @Test
    void slowLog_keepsTheNewest() {
        server.slowerThan(0, 0);
        for (int i = 0; i < 200; i++) {
            client.says("PING");
        }

        assertThat(server.slowLog().length()).isEqualTo(128);
        assertThat(server.slowLog().newest(1).getFirst().id()).isEqualTo(199);
    }

    @Test
    void bug_closesTheConnectionAndIsLoggedOnce() {
        RecordingHandler log = new RecordingHandler();
        Logger logger = Logger.getLogger(CommandRunner.class.getName());
        logger.addHandler(log);
        logger.setUseParentHandlers(false);
        try {
            assertThat(client.says("LATENCY LATEST")).isEqualTo("(error) ERR internal error");
            assertThat(client.isClosed()).isTrue();
            server.connect().says("LATENCY LATEST");
        } finally {
            logger.removeHandler(log);
            logger.setUseParentHandlers(true);
        }

        assertThat(log.records).isEqualTo(1);
    }

    private static final class RecordingHandler extends Handler {
        private int records;

        @Override
        public void publish(LogRecord record) {
            records++;
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void transaction_isOneGroupInTheJournal() {
        client.says("MULTI");
        client.says("INCR a");
        client.says("PNCOUNT MINC b 1 c 2");
        server.journal().clear();

        client.says("EXEC");

        assertThat(server.journal()).containsExactly("begin", "PNCOUNT a", "PNCOUNT b", "PNCOUNT c", "end");
    }

    @Test
    void severalKeys_areOneGroupInTheJournal() {
        client.says("MSET a 1 b 2");

        assertThat(server.journal()).containsExactly("begin", "PNCOUNT a", "PNCOUNT b", "end");
    }

    @Test
    void transactionBeyondItsBounds_isDiscarded() {
        client.says("MULTI");
        for (int i = 0; i < Transaction.MOST_COMMANDS; i++) {
            client.says("PING");
        }

        assertThat(client.says("PING")).startsWith("(error) ERR a transaction is limited to 65536 commands");
        assertThat(client.says("EXEC")).startsWith("(error) EXECABORT");
        client.says("MULTI");
        for (int i = 0; i < 7; i++) {
            assertThat(client.says("ECHO " + "v".repeat(1 << 20))).isEqualTo("QUEUED");
        }
        client.says("ECHO " + "v".repeat(1 << 20));
        assertThat(client.says("EXEC")).startsWith("(error) EXECABORT");
    }

    @Test
    void spentMemory_allowsOnlyAdditionsToOwnShards() {
        Cell former = new Cell().clear(CounterType.PNCOUNT);
        former.add(server.keyspace().replicas().numberOf(new ReplicaId(9, 9)), 5);
        new Merges(server.keyspace(), ChangeLog.NONE).restore(Key.of("former".getBytes(US_ASCII)), former);
        client.says("INCR mine");

        server.settings(
                new CommandSettings(1, Long.MAX_VALUE, Long.MAX_VALUE, 65_535, 65_536, 10_000, 128, 0, "no", "no"));
        assertThat(client.says("INCR new")).startsWith("(error) OOM");
        assertThat(client.says("INCR former")).isEqualTo("(integer) 6");
        assertThat(client.says("DEL former")).isEqualTo("(integer) 1");
        server.settings(new CommandSettings(1, 1, Long.MAX_VALUE, 65_535, 65_536, 10_000, 128, 0, "no", "no"));
        former.add(server.keyspace().replicas().numberOf(new ReplicaId(9, 9)), 1);
        new Merges(server.keyspace(), ChangeLog.NONE).restore(Key.of("other".getBytes(US_ASCII)), former);

        assertThat(client.says("INCR mine")).isEqualTo("(integer) 2");
        assertThat(client.says("INCR other")).startsWith("(error) OOM");
        assertThat(client.says("DEL mine")).startsWith("(error) OOM");
        assertThat(client.says("GET other")).isEqualTo("\"6\"");
    }

    @Test
    void freeMemoryOfCounters_countsAgainstTheHeap() {
        client.says("INCR mine");

        server.settings(
                new CommandSettings(Long.MAX_VALUE, Long.MAX_VALUE, 1, 65_535, 65_536, 10_000, 128, 0, "no", "no"));

        assertThat(client.says("INCR mine")).isEqualTo("(integer) 2");
        assertThat(client.says("INCR new")).startsWith("(error) OOM");
        assertThat(client.says("DEL mine")).startsWith("(error) OOM");
    }

    @Test
    void fullMemory_refusesTexts() {
        client.says("SET a 1");
        client.says("SET b text");
        server.settings(
                new CommandSettings(1, Long.MAX_VALUE, Long.MAX_VALUE, 65_535, 65_536, 10_000, 128, 0, "no", "no"));

        assertThat(client.says("SET a 2")).isEqualTo("OK");
        assertThat(client.says("SET b 2 XX EX 100")).isEqualTo("OK");
        assertThat(client.says("INCREX a EX 100")).startsWith("1) (integer) 3");
        assertThat(client.says("EXPIRE a 50")).isEqualTo("(integer) 1");
        assertThat(client.says("SET a " + "x".repeat(200))).startsWith("(error) OOM");
        assertThat(client.says("APPEND a x")).startsWith("(error) OOM");
        assertThat(client.says("SETRANGE a 50000 x")).startsWith("(error) OOM");
        assertThat(client.says("SETEX new 100 1")).startsWith("(error) OOM");
    }

    /// A short request can fill a long gap.
    @Test
    void setRange_isCheckedAgainstMemoryByItsOffset() {
        server.settings(new CommandSettings(
                1 << 20, Long.MAX_VALUE, Long.MAX_VALUE, 65_535, 65_536, 10_000, 128, 0, "no", "no"));

        for (int i = 0; i < 100; i++) {
            client.says("SETRANGE a:" + i + " 60000 x");
        }

        assertThat(client.says("SETRANGE b 60000 x")).startsWith("(error) OOM");
        assertThat(server.keyspace().bytesUsed()).isLessThan(3 << 20);
    }

    /// A key with a counter of one type has no cell yet for the other type.
    @Test
    void fullMemory_refusesACounterOfTheOtherTypeUnderAnExistingKey() {
        client.says("INCR a");
        client.says("GCOUNT INC g 1");

        for (int most : List.of(Integer.MAX_VALUE, 1)) {
            server.settings(new CommandSettings(1, most, Long.MAX_VALUE, 65_535, 65_536, 10_000, 128, 0, "no", "no"));
            assertThat(client.says("GCOUNT INC a 1")).startsWith("(error) OOM");
            assertThat(client.says("PNCOUNT INC g 1")).startsWith("(error) OOM");
            assertThat(client.says("INCR a")).startsWith("(integer)");
            assertThat(client.says("GCOUNT INC g 1")).isEqualTo("OK");
        }
        assertThat(client.says("SET a 1")).startsWith("(error) OOM");
    }

    @Test
    void transaction_isCheckedAgainstMemoryByItsBytes() {
        server.settings(new CommandSettings(
                1 << 20, Long.MAX_VALUE, Long.MAX_VALUE, 65_535, 65_536, 10_000, 128, 0, "no", "no"));
        FakeClient other = server.connect();
        for (FakeClient one : List.of(client, other)) {
            one.says("MULTI");
            for (int i = 0; i < 20; i++) {
                one.says("INCR " + "k".repeat(60_000) + i);
            }
        }

        assertThat(client.says("EXEC")).endsWith("20) (integer) 1");
        assertThat(other.says("EXEC")).startsWith("(error) EXECABORT Transaction discarded because of: OOM");
    }

    @Test
    void clientKill_withVeryManyFilters_isAnswered() {
        client.says("MULTI");
        client.says("INCR a");
        client.says("CLIENT KILL" + " ID 1".repeat(100_000));

        assertThat(client.says("EXEC")).startsWith("1) (integer) 1");
    }

    @Test
    void watchedBytes_areBounded() {
        for (int i = 10; i < 25; i++) {
            assertThat(client.says("WATCH " + "k".repeat(65_000) + i)).isEqualTo("OK");
        }

        assertThat(client.says("WATCH " + "l".repeat(65_000))).isEqualTo("OK");
        assertThat(client.says("WATCH " + "m".repeat(65_000))).contains("1048576 bytes");
        client.says("UNWATCH");
        assertThat(client.says("WATCH " + "m".repeat(65_000))).isEqualTo("OK");
    }

    @Test
    void watchesAndSubscriptions_areBounded() {
        for (int i = 0; i < Transaction.MOST_WATCHES; i++) {
            client.says("WATCH k" + i);
        }
        FakeClient other = server.connect();
        for (int i = 0; i < Subscriptions.MOST; i++) {
            other.says("SUBSCRIBE c" + i);
        }

        assertThat(client.says("WATCH k0")).isEqualTo("OK");
        assertThat(client.says("WATCH more")).startsWith("(error) ERR a client can watch at most 4096 keys");
        assertThat(other.says("SUBSCRIBE more")).startsWith("(error) ERR a client can have at most 16384");
        assertThat(other.says("SUBSCRIBE c1 c1")).doesNotStartWith("(error)");
    }
}
