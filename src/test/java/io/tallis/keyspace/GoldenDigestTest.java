package io.tallis.keyspace;

import static io.tallis.keyspace.Keyspaces.key;
import static io.tallis.keyspace.Keyspaces.keyspace;
import static io.tallis.keyspace.Keyspaces.namesIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.testing.Golden;
import io.tallis.wire.ByteWriter;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// The partitions of keys and the digests of partitions, which must not change: nodes of different versions compare
/// them, and a database is read partition by partition.
final class GoldenDigestTest {
    private final Keyspace keyspace = keyspace(5);
    private final Counters counters = new Counters(keyspace, ChangeLog.NONE);

    @Test
    void keys_areInTheGoldenPartitions() {
        assertThat(keyspace.partitionOf(key("a"))).isEqualTo(383);
        assertThat(keyspace.partitionOf(key("visits"))).isEqualTo(185);
        assertThat(keyspace.partitionOf(key("key:000000000001"))).isEqualTo(206);
        assertThat(keyspace.partitionOf(key("k".repeat(65_535)))).isEqualTo(449);
    }

    @Test
    void partition_hasTheGoldenDigests() throws IOException {
        for (String name : namesIn(3, 40)) {
            counters.add(key(name), name.length());
            counters.grow(key(name), 1L << name.hashCode());
        }
        counters.delete(CounterType.PNCOUNT, key(namesIn(3, 1).getFirst()));
        ReplicaId session = new ReplicaId(3, 4);
        int k = PartitionDigest.leafBits(keyspace.cells(3));

        ByteWriter digests = new ByteWriter(256);
        digests.bytes(keyspace.digest(3, session), 0, PartitionDigest.BYTES);
        digests.u8(k);
        byte[] leaves = PartitionDigest.leaves(keyspace, 3, k, session);
        digests.bytes(leaves, 0, leaves.length);

        Golden.check("partition-digests-v2", digests.toByteArray());
    }
}
