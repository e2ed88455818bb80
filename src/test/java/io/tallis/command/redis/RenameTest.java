package io.tallis.command.redis;

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
import org.junit.jupiter.api.Test;

/// `RENAME` and `COPY` where other nodes count, and in the journal.
final class RenameTest {
    private final FakeServer server = new FakeServer();
    private final FakeClient client = server.connect();

    @Test
    void rename_takesWhatOtherNodesCountedBefore_andLeavesWhatTheyCountLater() {
        client.says("INCRBY old 10");
        otherNodeHasCounted("old", 5);

        assertThat(client.says("RENAME old new")).isEqualTo("OK");
        otherNodeHasCounted("old", 7);
        otherNodeHasCounted("new", 1);

        assertThat(client.says("GET old")).isEqualTo("\"2\"");
        assertThat(client.says("GET new")).isEqualTo("\"16\"");
    }

    @Test
    void copy_leavesTheFirstKeyAsItIs() {
        client.says("INCRBY old 10");
        otherNodeHasCounted("old", 5);

        assertThat(client.says("COPY old new")).isEqualTo("(integer) 1");
        otherNodeHasCounted("old", 7);

        assertThat(client.says("MGET old new")).isEqualTo("1) \"17\"\n2) \"15\"");
    }

    @Test
    void rename_isOneGroupOfTheJournal() {
        client.says("SET old 1");
        client.says("SET new 2");
        server.journal().clear();

        client.says("RENAME old new");

        assertThat(server.journal().getFirst()).isEqualTo("begin");
        assertThat(server.journal().getLast()).isEqualTo("end");
        assertThat(server.journal()).contains("PNCOUNT new", "PNCOUNT old");
    }

    @Test
    void rename_ofAMissingKey_changesNothing() {
        client.says("SET new 2");
        server.journal().clear();

        assertThat(client.says("RENAME old new")).isEqualTo("(error) ERR no such key");
        assertThat(client.says("COPY old new REPLACE")).isEqualTo("(integer) 0");

        assertThat(server.journal()).doesNotContain("PNCOUNT new");
        assertThat(client.says("GET new")).isEqualTo("\"2\"");
    }

    @Test
    void rename_ofAKeyWhoseDeadlineHasCome_findsNone() {
        client.says("SET old 1 PX 100");
        server.passMillis(100);

        assertThat(client.says("RENAME old new")).isEqualTo("(error) ERR no such key");
    }

    /// Each row has the whole text, and a frame of the journal has a bound.
    @Test
    void transaction_thatCopiesALongTextVeryOften_isRefusedAsAWhole() {
        client.says("MULTI");
        client.says("SET a " + "x".repeat(60_000));
        for (int i = 0; i < 200; i++) {
            client.says("COPY a b" + i);
        }

        assertThat(client.says("EXEC")).startsWith("(error) ERR this changes more than");
        assertThat(client.says("EXISTS a b0")).isEqualTo("(integer) 0");
    }

    @Test
    void rename_ofAHash_movesItsFieldsWithTheirDeadline() {
        client.says("HSET old n 5 text abc");
        client.says("EXPIRE old 100");
        client.says("HSET new other 1");
        server.journal().clear();

        assertThat(client.says("RENAME old new")).isEqualTo("OK");

        assertThat(client.says("EXISTS old")).isEqualTo("(integer) 0");
        assertThat(client.says("HMGET new n text other")).isEqualTo("1) \"5\"\n2) \"abc\"\n3) (nil)");
        assertThat(client.says("TTL new")).isEqualTo("(integer) 100");
        assertThat(client.says("HINCRBY new n 2")).isEqualTo("(integer) 7");
        assertThat(server.journal().getFirst()).isEqualTo("begin");
    }

    @Test
    void copy_ofAHash_takesThePlaceOfAString() {
        client.says("HSET old n 5");
        client.says("SET new 9");

        assertThat(client.says("COPY old new")).isEqualTo("(integer) 0");
        assertThat(client.says("COPY old new REPLACE")).isEqualTo("(integer) 1");

        assertThat(client.says("TYPE new")).isEqualTo("hash");
        assertThat(client.says("HGET new n")).isEqualTo("\"5\"");
        assertThat(client.says("HGET old n")).isEqualTo("\"5\"");
    }

    @Test
    void rename_ofAString_takesThePlaceOfAHash() {
        client.says("HSET new n 5");
        client.says("SET old 9");

        client.says("RENAME old new");

        assertThat(client.says("TYPE new")).isEqualTo("string");
        assertThat(client.says("HLEN new")).startsWith("(error) WRONGTYPE");
        assertThat(client.says("DBSIZE")).isEqualTo("(integer) 1");
    }

    @Test
    void rename_ofAHashThatIsTooLarge_changesNothing() {
        client.says("HSET old a " + "x".repeat(60_000));
        String longName = "n".repeat(65_000);
        client.says("HSET old " + "f".repeat(1_000) + " 1");

        assertThat(client.says("RENAME old " + longName)).startsWith("(error) ERR the new key is too long");
        for (int i = 0; i < 70; i++) {
            client.says("HSET old f" + i + " " + "x".repeat(60_000));
        }

        assertThat(client.says("RENAME old new")).startsWith("(error) ERR this changes more than");
        assertThat(client.says("HLEN old")).isEqualTo("(integer) 72");
    }

    @Test
    void rename_ofAHashInATransaction_isRefused() {
        client.says("HSET old n 5");
        client.says("MULTI");
        client.says("RENAME old new");

        assertThat(client.says("EXEC"))
                .isEqualTo("1) (error) ERR a hash is not renamed or copied within MULTI or a script");
        assertThat(client.says("HGET old n")).isEqualTo("\"5\"");
    }

    @Test
    void renames_whenMemoryIsFull_areRefused() {
        client.says("SET old 1");
        server.maxMemory(1);

        assertThat(client.says("RENAME old new")).startsWith("(error) OOM");
        assertThat(client.says("COPY old new")).startsWith("(error) OOM");
    }

    /// What another node has counted in all.
    private void otherNodeHasCounted(String key, long amount) {
        Cell told = new Cell().clear(CounterType.PNCOUNT);
        told.counts().append(server.keyspace().replicas().numberOf(new ReplicaId(9, 9)));
        told.counts().put(0, Counter.P, 0, amount);
        new Merges(server.keyspace(), ChangeLog.NONE).merge(Key.of(key.getBytes(StandardCharsets.US_ASCII)), told);
    }
}
