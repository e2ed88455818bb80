package io.tallis.keyspace;

import static io.tallis.crdt.CounterType.GCOUNT;
import static io.tallis.crdt.CounterType.PNCOUNT;
import static io.tallis.keyspace.Keyspaces.key;
import static io.tallis.keyspace.Keyspaces.keyspace;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.delta.Entries;
import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Totals that clients keep and tell to any node.
final class SourcesTest {
    private static final ReplicaId SHOP = ReplicaId.ofSource(1, 1);
    private static final ReplicaId BANK = ReplicaId.ofSource(1, 2);

    private final Keyspace keyspace = keyspace(1);
    private final List<Boolean> recorded = new ArrayList<>();
    private final Counters counters = new Counters(keyspace, new ChangeLog() {
        @Override
        public void record(Key key, Cell counter, boolean whole) {
            recorded.add(whole);
        }

        @Override
        public void beginGroup() {}

        @Override
        public void endGroup() {}
    });

    @AfterEach
    void audit() {
        KeyspaceAudit.check(keyspace);
    }

    @Test
    void total_toldAgain_countsOnce() {
        assertThat(take(PNCOUNT, SHOP, 5, 0)).isEqualTo(Counters.Increment.DONE);
        assertThat(take(PNCOUNT, SHOP, 5, 0)).isEqualTo(Counters.Increment.DONE);
        take(PNCOUNT, SHOP, 8, 2);
        take(PNCOUNT, SHOP, 7, 1);

        assertThat(value(PNCOUNT)).isEqualTo(6);
        assertThat(counters.sourceAdded()).isEqualTo(8);
        assertThat(counters.sourceSubtracted()).isEqualTo(2);
    }

    @Test
    void totals_ofSeveralSourcesAndIncrements_addUp() {
        take(GCOUNT, SHOP, 5, 0);
        take(GCOUNT, BANK, 7, 0);
        counters.grow(key("a"), 1);

        assertThat(value(GCOUNT)).isEqualTo(13);
        assertThat(value(PNCOUNT)).isZero();
    }

    /// Another thread's turn, which has the total, may not be written yet.
    @Test
    void totalToldAgain_isRecordedAgain_whole() {
        take(PNCOUNT, SHOP, 5, 0);
        take(PNCOUNT, SHOP, 5, 0);

        assertThat(recorded).containsExactly(true, true);
    }

    @Test
    void increment_besideASource_isRecordedAlone() {
        take(PNCOUNT, SHOP, 5, 0);
        counters.add(key("a"), 1);

        assertThat(recorded).containsExactly(true, false);
    }

    @Test
    void totalOfZero_makesNoCounter() {
        assertThat(take(PNCOUNT, SHOP, 0, 0)).isEqualTo(Counters.Increment.DONE);

        assertThat(keyspace.cells()).isZero();
        assertThat(recorded).isEmpty();
    }

    @Test
    void total_afterADelete_countsWhatIsBeyond() {
        take(PNCOUNT, SHOP, 5, 1);
        counters.delete(key("a"));

        take(PNCOUNT, SHOP, 5, 1);
        assertThat(counters.exists(key("a"))).isFalse();

        take(PNCOUNT, SHOP, 9, 2);
        assertThat(value(PNCOUNT)).isEqualTo(3);
    }

    @Test
    void total_thatWouldLeaveTheRange_isRefused() {
        take(PNCOUNT, SHOP, Long.MAX_VALUE, 0);

        assertThat(take(PNCOUNT, BANK, 1, 0)).isEqualTo(Counters.Increment.OUT_OF_RANGE);
        assertThat(take(PNCOUNT, BANK, 1, 1)).isEqualTo(Counters.Increment.DONE);
        assertThat(value(PNCOUNT)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void gcount_ofLargeTotals_saturates() {
        take(GCOUNT, SHOP, -1L, 0);
        take(GCOUNT, BANK, -1L, 0);

        assertThat(value(GCOUNT)).isEqualTo(-1L);
    }

    @Test
    void total_ofText_isRefused() {
        counters.assign(key("a"), new byte[] {'x'}, 0, 1, Counters.KEEP);

        assertThat(take(PNCOUNT, SHOP, 1, 0)).isEqualTo(Counters.Increment.NO_NUMBER);
    }

    /// Its client goes on from the total that was deleted: without the tombstone all of it would count again.
    @Test
    void deletedCounter_ofASource_isNeverDropped() {
        keyspace.expiry().alone(true);
        take(PNCOUNT, SHOP, 5, 0);
        counters.add(key("plain"), 1);
        counters.delete(key("a"));
        counters.delete(key("plain"));
        keyspace.expiry().alone(false);
        counters.add(key("another"), 1);
        counters.delete(key("another"));
        DeletedCells purge = new DeletedCells(keyspace, ChangeLog.NONE);

        purge.begin();
        while (!purge.mark()) {}
        purge.begin();
        while (!purge.drop()) {}

        assertThat(purge.dropped()).isEqualTo(1);
        take(PNCOUNT, SHOP, 6, 0);
        assertThat(value(PNCOUNT)).isEqualTo(1);
        counters.read(PNCOUNT, key("a"));
        assertThat(counters.cell().life().hasHorizon()).isFalse();
    }

    @Test
    void sources_areLimited_butForThoseThatAreKnown() {
        Replicas replicas = keyspace.replicas();
        replicas.mostSources(1);
        int shop = replicas.numberOfSource(SHOP);

        assertThat(shop).isPositive();
        assertThat(replicas.numberOfSource(BANK)).isEqualTo(Replicas.OWN);
        assertThat(replicas.numberOfSource(SHOP)).isEqualTo(shop);
        assertThat(replicas.numberOf(BANK)).as("told by a peer").isPositive();
        assertThat(replicas.sources()).isEqualTo(2);
    }

    /// What is sent of a cell is what this process may have changed.
    @Test
    void change_isSentWithTheShardOfTheSource() throws MalformedException {
        keyspace.ownChanges().track();
        EntryRing ring = keyspace.ownChanges().newRing();
        Counters loop = new Counters(keyspace, ChangeLog.NONE, ring);
        int shop = keyspace.replicas().numberOfSource(SHOP);

        loop.takeTotals(PNCOUNT, key("a"), shop, 5, 0);
        loop.add(key("a"), 1);

        assertThat(ring.any()).isFalse();
        Cell sent = sent();
        assertThat(sent.value()).isEqualTo(6);
        assertThat(sent.counts().low(sent.counts().find(shop), Counter.P)).isEqualTo(5);
    }

    /// A client may wait for other nodes to have what it told.
    @Test
    void totalToldAgain_isSentAgain() throws MalformedException {
        keyspace.ownChanges().track();
        take(PNCOUNT, SHOP, 5, 0);
        sent();

        take(PNCOUNT, SHOP, 5, 0);

        assertThat(sent().value()).isEqualTo(5);
    }

    private Cell sent() throws MalformedException {
        ByteWriter out = new ByteWriter(64);
        Entries entries = new Entries(keyspace.replicas());
        int shown = keyspace.ownChanges().drain(9, (type, key, cell) -> {
            entries.own(type, key, cell, out);
            return 1;
        });
        assertThat(shown).isEqualTo(1);
        CellCodec codec = new CellCodec(keyspace.replicas());
        ByteReader in = ByteReader.of(out.toByteArray());
        CounterType type = codec.decodeKey(in);
        Cell cell = new Cell();
        codec.decode(in, type, Replicas.OWN, cell);
        return cell;
    }

    private Counters.Increment take(CounterType type, ReplicaId source, long added, long subtracted) {
        int number = keyspace.replicas().numberOfSource(source);
        return counters.takeTotals(type, key("a"), number, added, subtracted);
    }

    private long value(CounterType type) {
        counters.read(type, key("a"));
        return counters.value();
    }
}
