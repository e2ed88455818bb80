package io.tallis.command.slots;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.command.cluster.ClientAddress;
import io.tallis.command.slots.SlotMap.Owner;
import io.tallis.command.slots.SlotMap.Range;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// What has to hold of the slots for any set of nodes.
final class SlotMapLawsTest {
    private static final int MOST_NODES = 9;

    @Test
    void everySlot_hasOneNode_andRangesAreOrderedAndFew() {
        Property.forAll(gen -> {
            SlotMap map = SlotMap.of(nodes(gen));

            int next = 0;
            for (Range range : map.ranges()) {
                assertThat(range.first()).isEqualTo(next);
                assertThat(range.last()).isGreaterThanOrEqualTo(range.first());
                next = range.last() + 1;
            }
            assertThat(next).isEqualTo(Slot.COUNT);
            assertThat(map.ranges()).hasSizeLessThanOrEqualTo(SlotMap.BLOCKS);
        });
    }

    @Test
    void nodes_haveEquallyManySlots_giveOrTakeABlock() {
        Property.forAll(gen -> {
            List<Owner> nodes = nodes(gen);
            SlotMap map = SlotMap.of(nodes);

            for (Owner node : nodes) {
                int slots = map.ranges(node.uuid()).stream()
                        .mapToInt(range -> range.last() + 1 - range.first())
                        .sum();
                int blocks = slots / SlotMap.SLOTS_PER_BLOCK;
                assertThat(blocks)
                        .isBetween(SlotMap.BLOCKS / nodes.size(), (SlotMap.BLOCKS + nodes.size() - 1) / nodes.size());
            }
        });
    }

    @Test
    void map_dependsOnTheSetOfNodesOnly() {
        Property.forAll(gen -> {
            List<Owner> nodes = nodes(gen);
            List<Owner> shuffled = new ArrayList<>(nodes);
            Collections.shuffle(shuffled, new Random(gen.anyLong()));

            assertThat(SlotMap.of(shuffled).ranges())
                    .isEqualTo(SlotMap.of(nodes).ranges());
        });
    }

    /// What a node had has to move, and little besides.
    @Test
    void slots_whenANodeGoes_moveLittleMoreThanTheyMust() {
        assertThat(movedPerMinimum(3)).isLessThan(1.2);
        assertThat(movedPerMinimum(10)).isLessThan(1.6);
        assertThat(movedPerMinimum(30)).isLessThan(2.6);
    }

    private static double movedPerMinimum(int count) {
        Gen gen = new Gen(count);
        long moved = 0;
        int tries = 20;
        for (int i = 0; i < tries; i++) {
            List<Owner> nodes = nodes(gen, count);
            moved += moved(SlotMap.of(nodes), SlotMap.of(nodes.subList(1, count)));
        }
        return (double) moved * count / tries / Slot.COUNT;
    }

    private static long moved(SlotMap before, SlotMap after) {
        return IntStream.range(0, Slot.COUNT)
                .filter(slot -> !after.owner(slot).equals(before.owner(slot)))
                .count();
    }

    @Test
    void aSingleNode_hasAllSlots_inOneRange() {
        List<Owner> nodes = nodes(new Gen(1), 1);

        assertThat(SlotMap.of(nodes).ranges()).containsExactly(new Range(0, Slot.COUNT - 1, nodes.getFirst()));
    }

    @Test
    void noNodes_haveNoSlots() {
        SlotMap map = SlotMap.of(List.of());

        assertThat(map.ranges()).isEmpty();
        assertThat(map.isEmpty()).isTrue();
    }

    @Test
    void ofMoreNodesThanBlocks_someHaveNoSlots() {
        List<Owner> nodes = nodes(new Gen(7), 300);
        SlotMap map = SlotMap.of(nodes);

        assertThat(map.ranges().stream().map(Range::owner).distinct()).hasSize(SlotMap.BLOCKS);
    }

    /// Nodes of different versions have to agree while they are upgraded one after the other.
    @Test
    void map_ofKnownNodes_isTheSameInEveryVersion() {
        SlotMap map = SlotMap.of(List.of(owner(new UUID(1, 1)), owner(new UUID(2, 2)), owner(new UUID(3, 3))));

        assertThat(map.ranges().stream()
                        .limit(6)
                        .map(range -> range.owner().uuid().getLeastSignificantBits() + ":" + range.last()))
                .containsExactly("1:63", "2:127", "1:191", "2:383", "3:447", "2:511");
    }

    private static List<Owner> nodes(Gen gen) {
        return nodes(gen, gen.between(1, MOST_NODES));
    }

    private static List<Owner> nodes(Gen gen, int count) {
        Random random = new Random(gen.anyLong());
        return IntStream.range(0, count)
                .mapToObj(_ -> owner(new UUID(random.nextLong(), random.nextLong())))
                .toList();
    }

    private static Owner owner(UUID uuid) {
        return new Owner(uuid, new ClientAddress("127.0.0.1", 6380));
    }
}
