package io.tallis.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ReplicasTest {
    private static final ReplicaId OWN = new ReplicaId(1, 2);

    @Test
    void numberOf_theOwnId_isOwn() {
        assertThat(new Replicas(OWN).numberOf(OWN)).isEqualTo(Replicas.OWN);
    }

    @Test
    void numberOf_manyIds_isTheSameEachTime() {
        Replicas replicas = new Replicas(OWN);
        for (int i = 1; i <= 1000; i++) {
            assertThat(replicas.numberOf(new ReplicaId(i, i))).isEqualTo(i);
        }

        assertThat(replicas.numberOf(new ReplicaId(500, 500))).isEqualTo(500);
        assertThat(replicas.id(500)).isEqualTo(new ReplicaId(500, 500));
        assertThat(replicas.count()).isEqualTo(1001);
    }

    @Test
    void ids_areOrderedLikeTheirDigits() {
        ReplicaId large = new ReplicaId(-1, 0);
        ReplicaId small = new ReplicaId(1, -1);

        assertThat(large).isGreaterThan(small);
        assertThat(large.toString()).isGreaterThan(small.toString()).isEqualTo("ffffffffffffffff0000000000000000");
    }
}
