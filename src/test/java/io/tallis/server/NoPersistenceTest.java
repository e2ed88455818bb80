package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Keyspace;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class NoPersistenceTest {
    /// A change at that time might reach no other node.
    @Test
    void changes_areRefusedBeforeTheOthersAreLeft() {
        Keyspace keyspace = new Keyspace(new Replicas(new ReplicaId(1, 1)), () -> 7, () -> 1_000_000);
        NoPersistence persistence = new NoPersistence(new UUID(1, 1), keyspace, 0);
        List<String> whenLeaving = new ArrayList<>();
        String before = persistence.writeGate().refusal();

        persistence.close(
                () -> whenLeaving.add(String.valueOf(persistence.writeGate().refusal())));

        assertThat(before).isNull();
        assertThat(whenLeaving).containsExactly("LOADING The server is shutting down");
    }
}
