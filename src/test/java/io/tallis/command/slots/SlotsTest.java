package io.tallis.command.slots;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.command.cluster.Cluster;
import io.tallis.command.slots.SlotMap.Range;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class SlotsTest {
    private static final UUID HERE = new UUID(1, 1);
    private static final UUID NORTH = new UUID(2, 2);

    private final FakeCluster cluster = new FakeCluster();
    private final Slots slots = new Slots(cluster);

    @Test
    void slots_areOfNodesThatAreReadyAndHaveThePort() {
        cluster.nodes = List.of(
                node(HERE, "h:1", "ready"),
                node(NORTH, "[::1]:2", "ready"),
                node(new UUID(3, 3), "h:3", "pulling"),
                node(new UUID(4, 4), "h:4", "unreachable"),
                node(new UUID(5, 5), "", "ready"));

        List<Range> ranges = slots.now().ranges();

        assertThat(ranges).extracting(range -> range.owner().uuid()).containsOnly(HERE, NORTH);
        assertThat(ranges).extracting(range -> range.owner().address().port()).containsOnly(1, 2);
        assertThat(ranges).extracting(range -> range.owner().address().host()).containsOnly("h", "::1");
    }

    @Test
    void map_isMadeAgainOnlyWhenNodesOrAddressesChange() {
        cluster.nodes = List.of(node(HERE, "h:1", "ready"), node(NORTH, "h:2", "ready"));
        SlotMap first = slots.now();

        assertThat(slots.now()).isSameAs(first);

        cluster.nodes = List.of(node(HERE, "h:1", "ready"), node(NORTH, "h:3", "ready"));
        assertThat(slots.now()).isNotSameAs(first);

        cluster.nodes = List.of(node(HERE, "h:1", "ready"));
        assertThat(slots.now().ranges()).hasSize(1);
    }

    @Test
    void nodeThatIsJoining_hasNoSlotsAndKnowsItsAddress() {
        cluster.nodes = List.of(node(HERE, "h:1", "pulling"), node(NORTH, "h:2", "ready"));

        assertThat(slots.now().ranges())
                .extracting(range -> range.owner().uuid())
                .containsOnly(NORTH);
        assertThat(slots.self()).isEqualTo(HERE);
        assertThat(slots.ownAddress().port()).isEqualTo(1);
    }

    private static Cluster.Node node(UUID uuid, String address, String state) {
        return new Cluster.Node("name", uuid.toString(), "h:6379", "", address, state, 1, 0, 1, "session");
    }

    private static final class FakeCluster implements Cluster {
        private List<Node> nodes = List.of();

        @Override
        public String ownUuid() {
            return HERE.toString();
        }

        @Override
        public List<Node> nodes() {
            return nodes;
        }

        @Override
        public Reach reach() {
            throw new AssertionError("slots depend on the nodes only");
        }

        @Override
        public Standing standing() {
            throw new AssertionError("slots depend on the nodes only");
        }

        @Override
        public List<Happening> newest(int most) {
            throw new AssertionError("slots depend on the nodes only");
        }

        @Override
        public void forget(String node, Consumer<Forgetting> answer) {
            throw new AssertionError("slots depend on the nodes only");
        }

        @Override
        public void ready(Runnable done) {
            throw new AssertionError("slots depend on the nodes only");
        }

        @Override
        public boolean hold(Runnable done) {
            throw new AssertionError("slots depend on the nodes only");
        }

        @Override
        public void fold() {
            throw new AssertionError("slots depend on the nodes only");
        }

        @Override
        public void purge() {
            throw new AssertionError("slots depend on the nodes only");
        }
    }
}
