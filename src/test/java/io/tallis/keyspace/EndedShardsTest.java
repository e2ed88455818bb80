package io.tallis.keyspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EndedShardsTest {
    private static final ReplicaId ENDED = new ReplicaId(2, 2);
    private static final ReplicaId OTHER = new ReplicaId(3, 3);

    /// A number, widths and a total of 32 bits.
    private static final long PACKED = 6;

    /// Flags, an id and a total of one byte.
    private static final double ROW = 18;

    /// The type, the name and its length; the head of the cell.
    private static final double ROW_OF_NO_SHARD = 10 + 1;

    private final Keyspace keyspace = Keyspaces.keyspace(1);

    @Test
    void shardsOfFewCells_areAllCounted() {
        add("likes:10", ENDED, OTHER);
        add("views:10", ENDED, OTHER);

        EndedShards ended = EndedShards.of(keyspace, List.of(ENDED));

        assertThat(ended.bytes()).isEqualTo(2 * PACKED);
        assertThat(ended.partOfRows()).isEqualTo(ROW / (ROW_OF_NO_SHARD + 2 * ROW));
    }

    @Test
    void sessionWithoutShards_takesNothing() {
        add("likes:10", OTHER);

        assertThat(EndedShards.of(keyspace, List.of(ENDED))).isEqualTo(EndedShards.NONE);
        assertThat(EndedShards.of(keyspace, List.of())).isEqualTo(EndedShards.NONE);
    }

    @Test
    void shardsOfManyCells_areEstimated() {
        int cells = 40_000;
        for (int i = 0; i < cells; i++) {
            add("key:" + i, i % 4 == 0 ? new ReplicaId[] {ENDED, OTHER} : new ReplicaId[] {OTHER});
        }

        EndedShards ended = EndedShards.of(keyspace, List.of(ENDED));

        assertThat(ended.bytes()).isCloseTo(PACKED * cells / 4, withinPercentage(10));
        assertThat(ended.partOfRows()).isBetween(0.1, 0.15);
    }

    private void add(String name, ReplicaId... sessions) {
        Cell cell = new Cell().clear(CounterType.PNCOUNT);
        for (ReplicaId session : sessions) {
            cell.add(keyspace.replicas().numberOf(session), 7);
        }
        new Merges(keyspace, ChangeLog.NONE).restore(Keyspaces.key(name), cell);
    }
}
