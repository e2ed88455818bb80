package io.tallis.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.ChosenKeys;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Hashes;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Commands of several steps on a key whose partition has no room left for the change.
final class FullPartitionCommandsTest {
    private static final int MORE_THAN_FITS = 56_000;

    /// Leaves room for some rows but not for a reset.
    private static final int NEARLY_ALL = 54_600;

    private static final String FULL = "(error) OOM the partition of this key is full, deleted keys and fields"
            + " included, which leave with a purge";

    private static final FakeServer SERVER = new FakeServer();

    private final FakeClient client = SERVER.connect();

    @BeforeAll
    static void fill() {
        fill(SERVER, MORE_THAN_FITS);
    }

    private static void fill(FakeServer server, int count) {
        FakeClient client = server.connect();
        assertThat(client.says("INCR full")).isEqualTo("(integer) 1");
        assertThat(client.says("INCR other")).isEqualTo("(integer) 1");
        fillPartition(server, count);
    }

    private static void fillPartition(FakeServer server, int count) {
        Keyspace keyspace = server.keyspace();
        Counters counters = new Counters(keyspace, ChangeLog.NONE);
        Cell told = new Cell().clear(CounterType.PNCOUNT);
        told.counts().append(keyspace.replicas().numberOf(new ReplicaId(9, 9)));
        told.counts().put(0, Counter.P, 0, 1);
        int partition = keyspace.partitionOf(Key.of("full".getBytes(StandardCharsets.US_ASCII)));
        ChosenKeys keys = new ChosenKeys(keyspace, partition, 2100);
        for (int i = 0; i < count; i++) {
            assertThat(new Merges(counters.keyspace(), counters.log()).mergeAgain(keys.key(i), told, 0))
                    .isEqualTo(Counter.Merged.GREW);
        }
    }

    @Test
    void getDel_answersOnce() {
        assertThat(client.says("GETDEL full")).isEqualTo(FULL);
        assertThat(client.says("GET full")).isEqualTo("\"1\"");
    }

    @Test
    void deleteOfSeveral_isAllOrNone() {
        assertThat(client.says("DEL other full")).isEqualTo(FULL);
        assertThat(client.says("PNCOUNT DEL other full")).isEqualTo(FULL);
        assertThat(client.says("GET other")).isEqualTo("\"1\"");
    }

    @Test
    void deleteOfSeveral_withRoomForRowsOnly_isAllOrNone() {
        FakeServer server = new FakeServer();
        fill(server, NEARLY_ALL);
        FakeClient other = server.connect();

        assertThat(other.says("DEL other full")).isEqualTo(FULL);
        assertThat(other.says("GET other")).isEqualTo("\"1\"");
        assertThat(other.says("MSET other 5 full 6")).isEqualTo("OK");
    }

    @Test
    void changesOfSeveral_areAllOrNone() {
        assertThat(client.says("MSET other 5 full 6")).isEqualTo(FULL);
        assertThat(client.says("PNCOUNT MINC other 5 full 6")).isEqualTo(FULL);
        assertThat(client.says("GET other")).isEqualTo("\"1\"");
    }

    /// What was popped before there was no room is told.
    @Test
    void popOfManyMembers_whenThePartitionGetsFull_repliesThoseThatAreGone() {
        FakeServer server = new FakeServer();
        FakeClient usual = server.connect();
        for (int i = 0; i < 3_000; i++) {
            usual.says("ZADD full " + i + " m" + i);
        }
        boolean[] isFull = {false};
        FakeClient slow = server.connect(new Counters(server.keyspace(), new ChangeLog() {
            @Override
            public void record(Key key, Cell counter, boolean whole) {}

            @Override
            public void beginGroup() {}

            @Override
            public void endGroup() {
                if (!isFull[0]) {
                    isFull[0] = true;
                    fillPartition(server, NEARLY_ALL);
                }
            }
        }));

        assertThat(slow.says("ZPOPMIN full 2000").lines().filter(line -> line.contains("\"m")))
                .hasSize(Hashes.PIECE);
        assertThat(usual.says("ZCARD full")).isEqualTo("(integer) " + (3_000 - Hashes.PIECE));
        assertThat(slow.says("ZPOPMIN full 2000")).isEqualTo(FULL);
    }
}
