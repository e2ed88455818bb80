package io.tallis.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Deleting and setting, against what they should mean: every change is an event, a node knows the events that reached
/// it, a delete takes back the events that its node knew, and a counter is worth the events known and not taken back.
final class ObservedResetLawsTest {
    private static final int STEPS = 60;

    @Test
    void anyHistory_isWorthTheEventsNotTakenBack() {
        Property.forAll(gen -> {
            List<Node> nodes = nodes(gen.between(3, 5));
            Map<Integer, Long> amounts = new HashMap<>();
            for (int step = 0; step < STEPS; step++) {
                Node node = gen.pick(nodes);
                act(gen, node, nodes, amounts);

                assertThat(node.counter.value(0)).isEqualTo(node.worth(amounts));
                assertThat(node.counter.exists()).isEqualTo(node.known.containsValue(false));
            }
        });
    }

    @Test
    void nodesThatMerged_areEqual() {
        Property.forAll(gen -> {
            List<Node> nodes = nodes(gen.between(3, 5));
            Map<Integer, Long> amounts = new HashMap<>();
            for (int step = 0; step < STEPS; step++) {
                act(gen, gen.pick(nodes), nodes, amounts);
            }

            for (int round = 0; round < 2; round++) {
                for (Node from : nodes) {
                    nodes.forEach(to -> to.merge(from));
                }
            }

            for (Node node : nodes) {
                assertThat(node.counter.sameAs(nodes.getFirst().counter)).isTrue();
            }
        });
    }

    private static void act(Gen gen, Node node, List<Node> nodes, Map<Integer, Long> amounts) {
        switch (gen.between(0, 9)) {
            case 0 -> node.delete();
            case 1 -> {
                node.delete();
                node.add(gen.pick(-1, 1) * gen.between(1, 1000), amounts);
            }
            case 2, 3, 4 -> node.merge(gen.pick(nodes));
            default -> node.add(gen.pick(-1, 1) * gen.between(1, 1000), amounts);
        }
    }

    private static List<Node> nodes(int count) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(new Node(i));
        }
        return nodes;
    }

    private static final class Node {
        private final int replica;
        private final Counter counter = new Counter();

        /// The events that reached this node; true where they were taken back.
        private final Map<Integer, Boolean> known = new HashMap<>();

        Node(int replica) {
            this.replica = replica;
        }

        void add(long amount, Map<Integer, Long> amounts) {
            assertThat(counter.add(replica, amount, 0)).isTrue();
            known.put(amounts.size(), false);
            amounts.put(amounts.size(), amount);
        }

        void delete() {
            assertThat(counter.reset()).isEqualTo(known.containsValue(false));
            known.replaceAll((_, _) -> true);
        }

        void merge(Node other) {
            counter.merge(other.counter);
            other.known.forEach((event, gone) -> known.merge(event, gone, Boolean::logicalOr));
        }

        long worth(Map<Integer, Long> amounts) {
            return known.entrySet().stream()
                    .filter(event -> !event.getValue())
                    .mapToLong(event -> amounts.getOrDefault(event.getKey(), 0L))
                    .sum();
        }
    }
}
