package io.tallis.keyspace;

import io.tallis.runtime.Invariant;
import io.tallis.runtime.Sha256;
import io.tallis.wire.CounterCodec;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// All cells of a partition at one moment, or over a short while if they changed meanwhile, and their digests: one
/// of all, and one of each leaf.
///
/// A leaf is the cells whose place hash has the same bits behind those that name the partition. A digest is 16
/// bytes: SHA-256, cut, over the wire form of the cells in the order of place and bytes. Equal cells have equal
/// bytes (I5) and every entry tells its own length, so that equal digests mean equal cells even where keys were
/// chosen to deceive. The same on every node. Belongs to one thread.
public final class PartitionImage {
    /// How long a digest is.
    public static final int DIGEST_BYTES = 16;

    /// The most bits that tell leaves apart.
    public static final int MOST_LEAF_BITS = 11;

    /// With as many cells a leaf is split in two: leaves hold six to twelve.
    private static final int LEAF_LIMIT = 12;

    private final Partition partition;
    private final long version;
    private final WireForms cells;
    private byte @Nullable [] digest;

    private PartitionImage(Partition partition) {
        this.partition = partition;
        version = partition.version();
        cells = new WireForms(partition.cells());
    }

    /// Gathers the cells of a partition, some hundreds under one lock.
    public static PartitionImage of(Keyspace keyspace, int partition) {
        PartitionImage image = new PartitionImage(keyspace.partition(partition));
        CellWriter writer = new CellWriter(keyspace.replicas(), CounterCodec.NO_OWNER);
        keyspace.walkAll(partition, new CellWalk(CellWalk.ANY_STAMP, (table, slot, key) -> {
            writer.write(table, slot, key, image.cells.begin());
            image.cells.end(key.place());
        }));
        image.cells.sort();
        return image;
    }

    /// The digest of all cells. The partition keeps it for as long as nothing in it has changed since before they
    /// were gathered.
    public byte[] digest() {
        if (digest == null) {
            MessageDigest sha = Sha256.begin();
            for (int i = 0; i < cells.count(); i++) {
                cells.digest(i, sha);
            }
            digest = Arrays.copyOf(sha.digest(), DIGEST_BYTES);
            partition.cacheDigest(digest, version);
        }
        return digest.clone();
    }

    /// How many bits tell leaves of about eight cells apart.
    public int leafBits() {
        return Math.min(MOST_LEAF_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(cells.count() / LEAF_LIMIT));
    }

    /// The digests of all 2^k leaves, one behind the other; that of a leaf without cells is all zeros.
    public byte[] leaves(int k) {
        requireLeafBits(k);
        byte[] leaves = new byte[DIGEST_BYTES << k];
        MessageDigest sha = Sha256.begin();
        int count = cells.count();
        for (int i = 0; i < count; i++) {
            int leaf = leafOf(cells.place(i), k);
            cells.digest(i, sha);
            if (i + 1 == count || leafOf(cells.place(i + 1), k) != leaf) {
                System.arraycopy(sha.digest(), 0, leaves, leaf * DIGEST_BYTES, DIGEST_BYTES);
            }
        }
        return leaves;
    }

    /// The number of the leaf, one of 2^k, that a key belongs to in its partition.
    public static int leafOf(Key key, int k) {
        requireLeafBits(k);
        return leafOf(Keyspace.PLACES.of(key.array(), key.offset(), key.length()), k);
    }

    static int leafOf(long place, int k) {
        return k == 0 ? 0 : (int) (place << Keyspace.PARTITION_BITS >>> (Long.SIZE - k));
    }

    static void requireLeafBits(int k) {
        Invariant.check(k >= 0 && k <= MOST_LEAF_BITS, "leaves of 0 to " + MOST_LEAF_BITS + " bits");
    }
}
