package io.tallis.keyspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EndedShardsTest {
    private static final ReplicaId EARLIER = ReplicaId.ofFold(2);
    private static final ReplicaId ENDED = new ReplicaId(3, 3);
    private static final ReplicaId OTHER = new ReplicaId(4, 4);
    private static final List<List<ReplicaId>> GROUPS = List.of(List.of(EARLIER, ENDED));

    /// A number, widths and a total of 32 bits; in a row an id in place of the number.
    private static final double SHARD = 6;

    private static final double SHARD_IN_A_ROW = SHARD + 15;

    /// The type, the name and its length, the head of the cell.
    private static final double CELL = 2 + 8 + 1;

    private final Keyspace keyspace = Keyspaces.keyspace(1);

    @Test
    void allShardsOfAGroupButOne_wouldBeFreed() {
        add("likes:10", EARLIER, ENDED, OTHER);
        add("views:10", EARLIER, ENDED, OTHER);

        EndedShards ended = measure(GROUPS);

        assertThat(ended.partOfMemory()).isEqualTo(SHARD / (CELL + 3 * SHARD));
        assertThat(ended.partOfRows()).isEqualTo(SHARD_IN_A_ROW / (CELL + 3 * SHARD_IN_A_ROW));
    }

    @Test
    void oneShardOfAGroup_isNotFreed() {
        add("likes:10", EARLIER, OTHER);
        add("views:10", ENDED, OTHER);

        assertThat(measure(GROUPS)).isEqualTo(EndedShards.NONE);
        assertThat(measure(List.of())).isEqualTo(EndedShards.NONE);
    }

    @Test
    void shardsOfManyCells_areEstimated() {
        int cells = 40_000;
        for (int i = 0; i < cells; i++) {
            boolean isFreed = i % 4 == 0;
            add(
                    "key:" + (i + 1000),
                    isFreed ? new ReplicaId[] {EARLIER, ENDED, OTHER} : new ReplicaId[] {EARLIER, OTHER});
        }

        EndedShards ended = measure(GROUPS);

        assertThat(ended.partOfMemory()).isCloseTo(SHARD / 4 / (CELL + 2.25 * SHARD), withinPercentage(12));
        assertThat(ended.partOfRows())
                .isCloseTo(SHARD_IN_A_ROW / 4 / (CELL + 2.25 * SHARD_IN_A_ROW), withinPercentage(12));
    }

    private EndedShards measure(List<List<ReplicaId>> groups) {
        EndedShards.Sample sample = new EndedShards.Sample(keyspace, groups);
        while (sample.step()) {}
        return sample.estimate();
    }

    private void add(String name, ReplicaId... sessions) {
        Cell cell = new Cell().clear(CounterType.PNCOUNT);
        for (ReplicaId session : sessions) {
            cell.add(keyspace.replicas().numberOf(session), 7);
        }
        new Merges(keyspace, ChangeLog.NONE).restore(Keyspaces.key(name), cell);
    }
}
