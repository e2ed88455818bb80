package io.tallis.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// The bound of the journal rows of an atomic section, which counts all replicas of a counter.
final class AtomicSectionTest {
    private static final int REPLICAS = 2_000;

    private final FakeServer server = new FakeServer();
    private final FakeClient client = server.connect();

    @Test
    void transaction_onACounterOfManyReplicas_isRefusedAsAWhole() {
        mergeManyReplicas("k");
        client.says("MULTI");
        for (int i = 0; i < 400; i++) {
            client.says("SET k 1");
        }
        client.says("INCR other");

        assertThat(client.says("EXEC")).startsWith("(error) ERR this changes more than");
        assertThat(client.says("GET k")).isEqualTo("\"" + REPLICAS + "\"");
        assertThat(client.says("EXISTS other")).isEqualTo("(integer) 0");
    }

    @Test
    void severalChangesOfACounterOfManyReplicas_areRefusedAsAWhole() {
        mergeManyReplicas("k");

        assertThat(client.says("MSET other 1" + " k 1".repeat(400))).startsWith("(error) ERR this changes more than");
        assertThat(client.says("DEL" + " k".repeat(400))).startsWith("(error) ERR this changes more than");
        assertThat(client.says("EXISTS k other")).isEqualTo("(integer) 1");
    }

    /// Each of them gives the counter one shard more, and records it whole.
    @Test
    void totalsOfVeryManySources_areRefusedAsAWhole() {
        client.says("MULTI");
        for (int i = 0; i < 3_000; i++) {
            client.says("PNCOUNT MERGE k source-" + i + " 1");
        }

        assertThat(client.says("EXEC")).startsWith("(error) ERR this changes more than");
        assertThat(client.says("EXISTS k")).isEqualTo("(integer) 0");
    }

    /// A request that was made before records the whole counter.
    @Test
    void repeatedRequests_areCountedWithAllReplicas() {
        mergeManyReplicas("k");
        client.says("PNCOUNT INC k 1 IDMP p 1");
        client.says("MULTI");
        for (int i = 0; i < 400; i++) {
            client.says("PNCOUNT INC k 1 IDMP p 1");
        }

        assertThat(client.says("EXEC")).startsWith("(error) ERR this changes more than");
    }

    /// A missing counter needs no row.
    @Test
    void deletesOfVeryManyKeysThatAreNotThere_pass() {
        assertThat(client.says("DEL" + " nothing".repeat(300_000))).isEqualTo("(integer) 0");
        assertThat(client.says("GCOUNT DEL" + " nothing".repeat(300_000))).isEqualTo("(integer) 0");
    }

    @Test
    void transactionOfTensOfThousandsOfCommands_passes() {
        client.says("MULTI");
        for (int i = 0; i < 60_000; i++) {
            client.says("INCR counter:" + i);
        }

        assertThat(client.says("EXEC")).startsWith("    1) (integer) 1");
        client.says("MULTI");
        for (int i = 0; i < 60_000; i++) {
            client.says("INCR counter:" + i);
        }
        assertThat(client.says("EXEC")).startsWith("    1) (integer) 2");
    }

    /// An addition needs a row of this process's shard only, however many other shards there are.
    @Test
    void additionsToACounterOfManyReplicas_pass() {
        mergeManyReplicas("k");
        client.says("MULTI");
        for (int i = 0; i < 400; i++) {
            client.says("INCR k");
        }

        assertThat(client.says("EXEC")).startsWith("  1) (integer) " + (REPLICAS + 1));
        assertThat(client.says("PNCOUNT MINC other 1" + " k 1".repeat(400))).isEqualTo("OK");
        assertThat(client.says("PNCOUNT GET k")).isEqualTo("(integer) " + (REPLICAS + 800));
    }

    @Test
    void additionsAfterAReset_areCountedWithAllReplicas() {
        mergeManyReplicas("k");
        client.says("MULTI");
        client.says("DEL k");
        for (int i = 0; i < 400; i++) {
            client.says("INCR k");
        }

        assertThat(client.says("EXEC")).startsWith("(error) ERR this changes more than");

        client.says("DEL k");
        assertThat(client.says("PNCOUNT MINC" + " k 1".repeat(400))).startsWith("(error) ERR this changes more than");
    }

    /// Every change of a key with a text writes the text again.
    @Test
    void changesOfALongText_areCountedWithIt() {
        client.says("MULTI");
        client.says("SETRANGE a 60000 x");
        for (int i = 0; i < 150; i++) {
            client.says("EXPIRE a 60");
        }

        assertThat(client.says("EXEC")).startsWith("(error) ERR this changes more than");
        assertThat(client.says("EXISTS a")).isEqualTo("(integer) 0");
    }

    @Test
    void appendsToOneKey_areCountedByTheLengthThatItHasThen() {
        client.says("MULTI");
        for (int i = 0; i < 1000; i++) {
            client.says("APPEND a " + "x".repeat(50));
        }

        assertThat(client.says("EXEC")).startsWith("(error) ERR this changes more than");
    }

    @Test
    void manyTextsAtOnce_passUpToTheBound() {
        String text = "x".repeat(10_000);
        client.says("MULTI");
        for (int i = 0; i < 700; i++) {
            client.says("SET a:" + i + " " + text);
        }

        assertThat(client.says("EXEC")).endsWith("700) OK");
        assertThat(client.says("MSET" + (" b " + text).repeat(700))).isEqualTo("OK");
        assertThat(client.says("MSET" + (" c " + text).repeat(900))).startsWith("(error) ERR this changes more than");
        assertThat(client.says("EXISTS c")).isEqualTo("(integer) 0");
    }

    private void mergeManyReplicas(String name) {
        Keyspace keyspace = server.keyspace();
        Cell counter = new Cell();
        for (int i = 1; i <= REPLICAS; i++) {
            counter.add(keyspace.replicas().numberOf(new ReplicaId(7, i)), 1);
        }
        Key key = Key.of(name.getBytes(StandardCharsets.US_ASCII));
        new Merges(keyspace, ChangeLog.NONE).merge(key, counter);
    }
}
