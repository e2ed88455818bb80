package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.command.dispatch.LoadState;
import io.tallis.command.dispatch.WriteGate;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.http.Health;
import io.tallis.keyspace.Keyspace;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class NodeHealthTest {
    private static final LoadState LOADING = new LoadState() {
        @Override
        public boolean loading() {
            return true;
        }

        @Override
        public int percent() {
            return 40;
        }
    };

    private final Membership membership =
            new SingleNode(new Keyspace(new Replicas(new ReplicaId(1, 1)), new AtomicLong()::incrementAndGet, () -> 1));

    @Test
    void node_thatServesAndAcceptsChanges_isWell() {
        assertThat(health(LoadState.DONE, WriteGate.OPEN)).isEqualTo(new Health(true, "ready", ""));
    }

    @Test
    void node_thatLoads_saysHowFarItIs() {
        Health health = health(LOADING, WriteGate.OPEN);

        assertThat(health.isWell()).isFalse();
        assertThat(health.state()).isEqualTo("loading");
        assertThat(health.reason()).contains("40%");
    }

    @Test
    void node_thatRefusesChanges_saysWhy() {
        assertThat(health(LoadState.DONE, () -> "MISCONF The disk is full"))
                .isEqualTo(new Health(false, "read-only", "MISCONF The disk is full"));
        assertThat(health(LoadState.DONE, () -> WriteGate.STOPPING))
                .isEqualTo(new Health(false, "stopping", WriteGate.STOPPING));
    }

    private Health health(LoadState disk, WriteGate writes) {
        return new NodeHealth(disk, membership, writes).now();
    }
}
