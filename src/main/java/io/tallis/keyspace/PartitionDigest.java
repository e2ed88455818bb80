package io.tallis.keyspace;

import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Invariant;
import io.tallis.runtime.Sha256;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;

/// Computes digests of the cells of a partition, one of all or one of each leaf, by which two nodes find out which
/// cells differ without sending any.
///
/// A leaf is the cells whose place hash has the same bits behind those that name the partition:
///
///     place hash    0110110101 | 010 | 1100...        k = 3
///                   partition    leaf   place within it
///
///     node A        partition 437   digests of leaves   a b c d e f g h
///     node B                                            a b x d e f g h     only the cells of leaf 2 are fetched
///
/// A digest is a sum: two keyed hashes of 64 bits of each cell's wire form, each added up on its own. Equal cells have
/// equal bytes on every node (I5), and a sum does not depend on the order in which a table has them. So one pass over
/// the cells makes all leaves at once, nothing is sorted or gathered, and the digest of the partition is the sum of its
/// leaves. Cells that change during the pass may be in it or not. A cell with a deadline is shown as it will be at the
/// end of the present minute, or sooner, since one node may have noticed its end and the other not yet.
///
/// Sums of an unkeyed hash would be easy to forge: of some thousand chosen keys a few can be found whose hashes add up
/// to those of others. Therefore the hashes have a key, made of the session id of one of the two nodes, the provider; a
/// session id is random. The users of applications, who may choose keys, do not see it. A client of the server may, and
/// could hide a difference from the comparison until the rotation mends it; but a client can change every counter
/// anyway.
public final class PartitionDigest {
    /// The length of a digest.
    public static final int BYTES = 2 * Long.BYTES;

    /// The most bits that tell leaves apart.
    public static final int MOST_LEAF_BITS = 11;

    /// A leaf is split in two when it has this many cells: leaves have six to twelve.
    private static final int LEAF_LIMIT = 12;

    private final KeyHash low;
    private final KeyHash high;

    private PartitionDigest(ReplicaId key) {
        low = hash(key, 0);
        high = hash(key, 1);
    }

    private static KeyHash hash(ReplicaId key, int number) {
        ByteWriter seed = new ByteWriter(CellCodec.ID_BYTES + 1);
        CellCodec.encodeId(key, seed);
        seed.u8(number);
        MessageDigest sha = Sha256.begin();
        sha.update(seed.array(), 0, seed.position());
        ByteBuffer secret = ByteBuffer.wrap(sha.digest());
        return new KeyHash(secret.getLong(), secret.getLong(), secret.getLong(), secret.getLong());
    }

    /// The digest of all cells of a partition.
    static byte[] of(Keyspace keyspace, int partition, ReplicaId key) {
        return leaves(keyspace, partition, 0, key);
    }

    /// The digests of all 2^k leaves, one behind the other; that of a leaf without cells is all zeros.
    public static byte[] leaves(Keyspace keyspace, int partition, int k, ReplicaId key) {
        requireLeafBits(k);
        return new PartitionDigest(key).sums(keyspace, partition, k);
    }

    private byte[] sums(Keyspace keyspace, int partition, int k) {
        long[] sums = new long[2 << k];
        keyspace.fold(partition);
        CellWriter writer = new CellWriter(keyspace.replicas(), CellCodec.NO_OWNER);
        ByteWriter cell = new ByteWriter(64);
        Expiry expiry = keyspace.expiry();
        long asOf = expiry.digestedAsOf();
        keyspace.walkAll(partition, new CellWalk(CellWalk.ANY_STAMP, (table, slot, cellKey) -> {
            cell.clear();
            if (!writer.writeAsOf(table, slot, cellKey, expiry, asOf, cell)) {
                return;
            }
            int at = 2 * leafOf(cellKey.place(), k);
            sums[at] += low.of(cell.array(), 0, cell.position());
            sums[at + 1] += high.of(cell.array(), 0, cell.position());
        }));
        ByteBuffer bytes = ByteBuffer.allocate(BYTES << k).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(sums);
        return bytes.array();
    }

    /// How many bits divide so many cells into leaves of about eight.
    public static int leafBits(int cells) {
        return Math.min(MOST_LEAF_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(cells / LEAF_LIMIT));
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
