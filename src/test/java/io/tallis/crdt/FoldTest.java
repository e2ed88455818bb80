package io.tallis.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class FoldTest {
    private static final ReplicaId FIRST = new ReplicaId(1, 1);
    private static final ReplicaId SECOND = new ReplicaId(2, 2);
    private static final ReplicaId THIRD = new ReplicaId(3, 3);
    private static final ReplicaId FOLD = ReplicaId.ofFold(1);
    private static final ReplicaId LATER_FOLD = ReplicaId.ofFold(2);

    private final Replicas known = new Replicas(new ReplicaId(9, 9));

    @Test
    void fold_ofMembers_isOneShardWithTheirSums() {
        Counter counter =
                counter(shard(FIRST, 7L, 1L, 4L, 0L), shard(SECOND, 5L, 2L, 5L, 2L), shard(THIRD, 1L, 0L, 0L, 0L));
        long before = counter.value(0);
        known.addFold(FOLD, List.of(FIRST, SECOND));

        assertThat(counter.fold(known)).isTrue();

        assertThat(counter.value(0)).isEqualTo(before);
        assertThat(text(counter, FOLD)).isEqualTo("12 3 9 2");
        assertThat(text(counter, THIRD)).isEqualTo("1 0 0 0");
        assertThat(counter.shards()).isEqualTo(2);
        assertThat(counter.fold(known)).isFalse();
    }

    @Test
    void fold_besideMembersThatAreBehind_hasTheLargerTotals() {
        known.addFold(FOLD, List.of(FIRST, SECOND));
        Counter counter = counter(shard(FOLD, 12L, 3L, 2L, 0L), shard(FIRST, 7L, 1L, 7L, 1L));

        counter.fold(known);

        assertThat(text(counter, FOLD)).isEqualTo("12 3 7 1");
    }

    @Test
    void fold_ofAFold_isMadeAfterThatOne() {
        known.numberOf(LATER_FOLD);
        known.addFold(FOLD, List.of(FIRST));
        known.addFold(LATER_FOLD, List.of(FOLD, SECOND));
        Counter counter = counter(shard(FIRST, 4L, 0L, 0L, 0L), shard(SECOND, 5L, 0L, 0L, 0L));

        counter.fold(known);

        assertThat(text(counter, LATER_FOLD)).isEqualTo("9 0 0 0");
        assertThat(counter.shards()).isEqualTo(1);
    }

    /// A cell in which only some of the members were added up would lose the others.
    @Test
    void membersOfAFold_areSeenAllAtOnceByOtherThreads() throws Exception {
        for (int round = 0; round < 50; round++) {
            Replicas shared = new Replicas(new ReplicaId(9, 9));
            List<ReplicaId> members =
                    IntStream.range(0, 1_000).mapToObj(i -> new ReplicaId(5, i)).toList();
            members.forEach(shared::numberOf);
            AtomicInteger seen = new AtomicInteger();
            Thread reader = Thread.ofPlatform().start(() -> {
                while (seen.get() == 0) {
                    int first = shared.foldOf(1);
                    if (first != Replicas.OWN) {
                        seen.set(shared.foldOf(members.size()) == first ? 1 : 2);
                    }
                }
            });

            shared.addFold(FOLD, members);
            reader.join();

            assertThat(seen).hasValue(1);
        }
    }

    private record Shard(ReplicaId id, List<Long> totals) {}

    private static Shard shard(ReplicaId id, Long... totals) {
        return new Shard(id, List.of(totals));
    }

    private Counter counter(Shard... shards) {
        Counter counter = new Counter();
        for (Shard shard : shards) {
            int position = counter.insert(known.numberOf(shard.id));
            for (int i = 0; i < shard.totals.size(); i++) {
                counter.put(position, 2 * i, 0, shard.totals.get(i));
            }
        }
        return counter;
    }

    private String text(Counter counter, ReplicaId id) {
        int position = counter.find(known.numberOf(id));
        return "%d %d %d %d"
                .formatted(
                        counter.low(position, Counter.P),
                        counter.low(position, Counter.N),
                        counter.low(position, Counter.RP),
                        counter.low(position, Counter.RN));
    }
}
