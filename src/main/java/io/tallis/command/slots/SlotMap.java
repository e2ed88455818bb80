package io.tallis.command.slots;

import io.tallis.command.cluster.ClientAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/// Which node has which slots. Immutable.
///
/// Slots are given in blocks of 64 neighbours. Every pair of a block and a node has a score, which depends on the two
/// alone. Pairs are taken in the order of their scores: a node gets the block if the block is free and the node has
/// room, where all nodes have room for as many blocks, or one more for some if the blocks do not divide evenly.
///
/// So nodes that know the same nodes have the same map, whatever happened before; nodes have as many slots as others,
/// give or take a block; and when a node comes or goes, few blocks move besides those that it gets or had, since the
/// pairs of the other nodes keep their scores.
final class SlotMap {
    /// A map has at most as many ranges, which bounds the reply to `CLUSTER SLOTS`. More blocks would move fewer slots.
    static final int BLOCKS = 256;

    private static final int BLOCK_BITS = 8;
    private static final int NODE_BITS = 12;

    /// Further nodes have no slots.
    private static final int MOST_NODES = 1 << NODE_BITS;

    static final int SLOTS_PER_BLOCK = Slot.COUNT / BLOCKS;

    private static final int FREE = -1;

    private final List<Owner> owners;

    /// The index in `owners` by block.
    private final int[] ownerOf;

    /// A node that has slots: a name of 40 hexadecimal digits, as in Redis, and the address for clients of Redis
    /// Cluster.
    record Owner(UUID uuid, ClientAddress address) {
        private static final String PADDING = "00000000";

        String id() {
            return idOf(uuid);
        }

        static String idOf(UUID uuid) {
            return uuid.toString().replace("-", "") + PADDING;
        }
    }

    /// Slots of one node, both ends included.
    record Range(int first, int last, Owner owner) {}

    private SlotMap(List<Owner> owners, int[] ownerOf) {
        this.owners = owners;
        this.ownerOf = ownerOf;
    }

    /// The map for these nodes, in any order. If there are more than blocks, some get none.
    static SlotMap of(List<Owner> nodes) {
        List<Owner> owners = nodes.stream()
                .sorted(Comparator.comparing(Owner::id))
                .limit(MOST_NODES)
                .toList();
        return new SlotMap(owners, owners.isEmpty() ? new int[0] : given(owners));
    }

    private static int[] given(List<Owner> owners) {
        int[] ownerOf = new int[BLOCKS];
        Arrays.fill(ownerOf, FREE);
        int[] blocks = new int[owners.size()];
        int room = BLOCKS / owners.size();
        int oneMore = BLOCKS % owners.size();
        for (long pair : pairs(owners)) {
            int block = (int) pair & (BLOCKS - 1);
            int node = (int) (pair >>> BLOCK_BITS) & (MOST_NODES - 1);
            boolean fits = blocks[node] < room || (blocks[node] == room && oneMore > 0);
            if (ownerOf[block] == FREE && fits) {
                oneMore -= blocks[node] == room ? 1 : 0;
                blocks[node]++;
                ownerOf[block] = node;
            }
        }
        return ownerOf;
    }

    /// All pairs in the order of their scores, the lowest first: in the lowest bits of each the block, above it the
    /// index of the node, above that the score.
    private static long[] pairs(List<Owner> owners) {
        long[] pairs = new long[BLOCKS * owners.size()];
        for (int i = 0; i < pairs.length; i++) {
            int node = i >>> BLOCK_BITS;
            int block = i & (BLOCKS - 1);
            pairs[i] = score(owners.get(node).uuid(), block) << (NODE_BITS + BLOCK_BITS) | i;
        }
        Arrays.sort(pairs);
        return pairs;
    }

    private static long score(UUID node, int block) {
        return mixed(mixed(mixed(node.getMostSignificantBits()) + node.getLeastSignificantBits()) + block);
    }

    /// The finalizer of SplitMix64, by which each bit changes all others.
    private static long mixed(long bits) {
        long mixed = bits + 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    /// All nodes of the map, ordered by their UUIDs.
    List<Owner> owners() {
        return owners;
    }

    boolean isEmpty() {
        return owners.isEmpty();
    }

    /// The node that has the slot.
    Owner owner(int slot) {
        return owners.get(ownerOf[slot / SLOTS_PER_BLOCK]);
    }

    /// All slots in order, in as few ranges as possible.
    List<Range> ranges() {
        List<Range> ranges = new ArrayList<>();
        int first = 0;
        for (int block = 1; block <= ownerOf.length; block++) {
            if (block == ownerOf.length || ownerOf[block] != ownerOf[first]) {
                ranges.add(new Range(first * SLOTS_PER_BLOCK, block * SLOTS_PER_BLOCK - 1, owners.get(ownerOf[first])));
                first = block;
            }
        }
        return ranges;
    }

    /// The ranges of one node.
    List<Range> ranges(UUID node) {
        return ranges().stream()
                .filter(range -> range.owner().uuid().equals(node))
                .toList();
    }
}
