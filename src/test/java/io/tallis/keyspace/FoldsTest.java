package io.tallis.keyspace;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class FoldsTest {
    private static final ReplicaId FIRST = new ReplicaId(2, 2);
    private static final ReplicaId SECOND = new ReplicaId(3, 3);
    private static final Fold FOLD =
            Fold.proposal(new UUID(1, 1), List.of(FIRST, SECOND)).made(1);
    private static final Key KEY = Keyspaces.key("likes");

    private final Keyspace keyspace = Keyspaces.keyspace(1);
    private final Counters clients =
            new Counters(keyspace, ChangeLog.NONE, keyspace.ownChanges().newRing());

    @Test
    void start_thatFindsMembersInOldRowsAndTheFoldInNewOnes_countsOnce() {
        load(shard(FIRST, 7, 0), shard(SECOND, 5, 0), shard(FOLD.id(), 12, 0));

        assertThat(clients.read(CounterType.PNCOUNT, KEY)).isTrue();
        assertThat(clients.value()).isEqualTo(12);
        KeyspaceAudit.check(keyspace);
    }

    @Test
    void start_thatFindsThatTheFoldWasReset_showsNothing() {
        load(shard(FIRST, 7, 0), shard(SECOND, 5, 0), shard(FOLD.id(), 12, 12));

        assertThat(clients.read(CounterType.PNCOUNT, KEY)).isFalse();
        assertThat(keyspace.keys()).isZero();
        KeyspaceAudit.check(keyspace);
    }

    @Test
    void start_thatFindsThatTheFoldWasReset_stillShowsTheKeyUnderItsOtherType() {
        clients.grow(KEY, 3);

        load(shard(FIRST, 7, 0), shard(SECOND, 5, 0), shard(FOLD.id(), 12, 12));

        assertThat(keyspace.keys()).isEqualTo(1);
        KeyspaceAudit.check(keyspace);
    }

    /// A row may have the shard of one member only, and lie behind the note.
    @Test
    void start_thatFindsEachMemberInARowOfItsOwn_addsThemUp() {
        load(shard(FIRST, 7, 0), shard(FOLD.id(), 0, 0), shard(SECOND, 5, 0), shard(FIRST, 8, 0));

        assertThat(clients.read(CounterType.PNCOUNT, KEY)).isTrue();
        assertThat(clients.value()).isEqualTo(13);
    }

    @Test
    void digest_thatWasAskedForBefore_showsTheFold() {
        merge(shard(FIRST, 7, 0), shard(SECOND, 5, 0));
        int partition = keyspace.partitionOf(KEY);
        byte[] before = keyspace.digest(partition);

        keyspace.folds().take(FOLD);

        assertThat(keyspace.digest(partition)).isNotEqualTo(before);
    }

    @Test
    void merge_ofMoreOfAMemberThanAScanHasSeen_disturbsIt() {
        Folds folds = keyspace.folds();
        merge(shard(FIRST, 7, 0));
        folds.close(FOLD);

        merge(shard(FIRST, 7, 7), shard(new ReplicaId(4, 4), 9, 0));
        boolean byTheSame = folds.isDisturbed();
        merge(shard(FIRST, 8, 0));

        assertThat(byTheSame).isFalse();
        assertThat(folds.isDisturbed()).isTrue();
    }

    private void merge(Shard... shards) {
        Cell cell = new Cell().clear(CounterType.PNCOUNT);
        for (Shard row : shards) {
            int shard = cell.counts().insert(keyspace.replicas().numberOf(row.id));
            cell.counts().put(shard, Counter.P, 0, row.total);
            cell.counts().put(shard, Counter.RP, 0, row.reset);
        }
        Counter.Merged _ = new Merges(keyspace, ChangeLog.NONE).merge(KEY, cell);
    }

    private record Shard(ReplicaId id, long total, long reset) {}

    private static Shard shard(ReplicaId id, long total, long reset) {
        return new Shard(id, total, reset);
    }

    private void load(Shard... rows) {
        keyspace.folds().loading(true);
        Merges merges = new Merges(keyspace, ChangeLog.NONE);
        for (Shard row : rows) {
            if (row.id.isFold()) {
                keyspace.folds().take(FOLD);
            }
            Cell cell = new Cell().clear(CounterType.PNCOUNT);
            int shard = cell.counts().insert(keyspace.replicas().numberOf(row.id));
            cell.counts().put(shard, Counter.P, 0, row.total);
            cell.counts().put(shard, Counter.RP, 0, row.reset);
            merges.mergeAgain(KEY, cell, 0);
        }
        keyspace.loaded();
    }
}
