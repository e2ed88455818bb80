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
