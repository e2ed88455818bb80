package io.tallis.command.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Merges;
import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NotificationsTest {
    /// Commands and the events that Redis 7.0.15 tells of them.
    private static final String AS_REDIS = """
            SET a 1           -> set a
            INCR a            -> incrby a
            DECRBY a 2        -> incrby a
            INCRBYFLOAT a 3   -> incrbyfloat a
            SET a 2 EX 100    -> set a, expire a
            SET a 3 KEEPTTL   -> set a
            SETEX b 10 x      -> set b, expire b
            SETNX b y         ->
            SETNX c 1         -> set c
            MSET d 1 e 2      -> set d, set e
            MSETNX d 1 f 2    ->
            GETSET d 5        -> set d
            GETDEL d          -> del d
            GETDEL d          ->
            APPEND b yz       -> append b
            SETRANGE b 1 q    -> setrange b
            EXPIRE a 50       -> expire a
            EXPIRE nosuch 50  ->
            PEXPIREAT a 1     -> del a
            PERSIST b         -> persist b
            PERSIST b         ->
            GETEX b EX 10     -> expire b
            GETEX b PERSIST   -> persist b
            GETEX b           ->
            GETEX b PXAT 1    -> del b
            DEL c e nosuch    -> del c, del e
            DEL c             ->
            SET g 1 EX 100    -> set g, expire g
            RENAME g h        -> rename_from g, rename_to h
            COPY h i          -> copy_to i
            COPY h i          ->
            RENAMENX h i      ->
            RENAME h i        -> rename_from h, rename_to i
            SET g x NX GET    -> set g
            INCR g            ->
            SET g 1 XX        -> set g
            HSET m a 1 b 2                   -> hset m
            HSET m a 1                       -> hset m
            HMSET m a 3                      -> hset m
            HSETNX m a 4                     ->
            HSETNX m c 4                     -> hset m
            HINCRBY m a 1                    -> hincrby m
            HINCRBYFLOAT m a 2               -> hincrbyfloat m
            HDEL m nosuch                    ->
            HDEL m a b                       -> hdel m
            HDEL m c                         -> hdel m, del m
            ZADD z 1 a 2 b 3 c 4 d 5 e 6 f   -> zadd z
            ZADD z 1 a                       ->
            ZADD z 7 a                       -> zadd z
            ZADD z XX 7 g                    ->
            ZADD z INCR 1 a                  -> zincr z
            ZINCRBY z 1 a                    -> zincr z
            ZREM z nosuch                    ->
            ZREM z a                         -> zrem z
            ZPOPMIN z                        -> zpopmin z
            ZPOPMAX z 2                      -> zpopmax z
            ZPOPMIN z 0                      ->
            ZREMRANGEBYRANK z 0 0            -> zremrangebyrank z
            ZREMRANGEBYRANK z 9 9            ->
            ZREMRANGEBYSCORE z 0 2           ->
            ZREMRANGEBYSCORE z 0 9           -> zremrangebyscore z, del z
            EXPIRE m 10                      ->
            HSET m a 1                       -> hset m
            EXPIRE m 100                     -> expire m
            PEXPIREAT m 1                    -> del m
            """;

    private final FakeServer server = new FakeServer();
    private final FakeClient client = server.connect();
    private final FakeClient subscriber = server.connect();

    @Test
    void eventsOfCommands_areThoseOfRedis() {
        listen("KEA", "__keyevent@0__:*");

        for (String line : AS_REDIS.lines().toList()) {
            String[] parts = line.split(" *-> ?", -1);
            client.says(parts[0]);
            assertThat(String.join(", ", events())).as(line).isEqualTo(parts[1]);
        }
    }

    @Test
    void eventsOfCounters_haveTheNamesOfRedis() {
        listen("EA", "*");

        client.says("PNCOUNT INC a 1");
        client.says("PNCOUNT INC a 0");
        client.says("GCOUNT MINC g 1 h 2");
        client.says("PNCOUNT SET a 5");
        client.says("PNCOUNT EXPIRE a 100");
        client.says("PNCOUNT DEL a b");
        client.says("INCREX r BYINT 3 UBOUND 5 EX 10");
        client.says("INCREX r BYINT 3 UBOUND 5 EX 10");
        client.says("CL.THROTTLE t 1 1 60");

        assertThat(events())
                .containsExactly(
                        "incrby a",
                        "incrby g",
                        "incrby h",
                        "set a",
                        "expire a",
                        "del a",
                        "incrby r",
                        "expire r",
                        "incrby t");
    }

    @Test
    void channelOfTheKey_getsTheEvent() {
        listen("Kg$", "__keyspace@0__:a");

        client.says("INCR a");
        client.says("INCR b");
        client.says("DEL a");

        assertThat(subscriber.heard().stream().filter(line -> line.startsWith("4)")))
                .containsExactly("4) \"incrby\"", "4) \"del\"");
    }

    @Test
    void classes_chooseTheEvents() {
        listen("Eg", "*");

        client.says("SET a 1 EX 10");
        client.says("DEL a");

        assertThat(events()).containsExactly("expire a", "del a");
    }

    @Test
    void withoutAChannel_nothingIsTold() {
        listen("A", "*");

        client.says("INCR a");
        otherNodeHasCounted("a", 1);
        server.tellMerges();

        assertThat(events()).isEmpty();
    }

    @Test
    void eventsOfATransaction_followItsEnd() {
        listen("EA", "*");
        client.says("MULTI");
        client.says("INCR a");
        client.says("LPUSH a");
        client.says("EXEC");
        assertThat(events()).isEmpty();

        client.says("MULTI");
        client.says("INCR a");
        client.says("SET b x");
        client.says("EXEC");

        assertThat(events()).containsExactly("incrby a", "set b");
    }

    @Test
    void endOfAKey_isToldByTheSweeper() {
        listen("EA", "*");
        client.says("SET a 1 PX 100");
        client.says("GCOUNT INC g 1");
        client.says("EXPIRE g 1");
        events();

        server.passMillis(100);
        assertThat(client.says("GET a")).isEqualTo("(nil)");
        assertThat(events()).isEmpty();
        server.sweep();

        assertThat(events()).containsExactly("expired a");
    }

    @Test
    void endOfAHash_isToldOnce_whenItsLastFieldHasEnded() {
        listen("EA", "*");
        client.says("HSET m a 1 b 2 c 3");
        client.says("EXPIRE m 1");
        events();
        server.passMillis(1_000);

        server.sweep();

        assertThat(events()).containsExactly("expired m");
    }

    @Test
    void endOfAKey_isToldBeforeItIsUsedAgain() {
        listen("EA", "*");
        client.says("SET a 1 PX 100");
        events();
        server.passMillis(100);

        client.says("INCR a");
        server.sweep();

        assertThat(events()).containsExactly("expired a", "incrby a");
    }

    @Test
    void changesOfOtherNodes_areToldAsMerges_severalAsOne() {
        listen("EA", "*");
        client.says("INCR a");
        events();

        otherNodeHasCounted("a", 1);
        otherNodeHasCounted("a", 2);
        otherNodeHasCounted("new", 1);
        otherNodeHasCounted("new", 1);
        assertThat(events()).isEmpty();
        server.tellMerges();

        assertThat(events()).containsExactlyInAnyOrder("merge a", "merge new");
        otherNodeHasCounted("a", 2);
        server.tellMerges();
        assertThat(events()).isEmpty();
    }

    @Test
    void deletionOnAnotherNode_isToldAsDel_whereTheKeyWasThere() {
        listen("EA", "*");
        otherNodeHasCounted("a", 3);
        server.tellMerges();
        events();

        merge("a", 3, 3);
        merge("neverHere", 3, 3);
        server.tellMerges();

        assertThat(events()).containsExactly("del a");
    }

    @Test
    void ownChanges_areNotToldAsMerges() {
        listen("EA", "*");
        client.says("INCR a");
        events();

        server.tellMerges();

        assertThat(events()).isEmpty();
    }

    @Test
    void whatWasMergedWhileNothingWasTold_isNotToldLater() {
        otherNodeHasCounted("a", 1);
        listen("EA", "*");
        server.tellMerges();
        assertThat(events()).isEmpty();

        otherNodeHasCounted("a", 2);
        server.notify("");
        server.notify("EA");
        server.tellMerges();

        assertThat(events()).isEmpty();
    }

    private void listen(String letters, String pattern) {
        server.notify(letters);
        subscriber.says("PSUBSCRIBE " + pattern);
    }

    /// The events and keys that the subscriber has got.
    private List<String> events() {
        List<String> events = new ArrayList<>();
        List<String> lines = subscriber.heard();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).contains("__keyevent@0__:") && lines.get(i).startsWith("3)")) {
                String event = lines.get(i).replaceAll(".*:(.*)\"", "$1");
                events.add(event + " " + lines.get(i + 1).replaceAll(".*\"(.*)\"", "$1"));
            }
        }
        return events;
    }

    private void otherNodeHasCounted(String key, long amount) {
        merge(key, amount, 0);
    }

    private void merge(String key, long added, long reset) {
        Cell told = new Cell().clear(CounterType.PNCOUNT);
        told.counts().append(server.keyspace().replicas().numberOf(new ReplicaId(9, 9)));
        told.counts().put(0, Counter.P, 0, added);
        told.counts().put(0, Counter.RP, 0, reset);
        new Merges(server.keyspace(), ChangeLog.NONE).merge(Key.of(key.getBytes(StandardCharsets.US_ASCII)), told);
    }
}
