package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CounterCodec;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Sums a partition up in 16 bytes: SHA-256, cut, over the wire form of its cells in the order of those bytes.
///
/// Equal cells have equal bytes (I5) and every entry tells its own length, so that equal digests mean equal cells
/// even where keys were chosen to deceive.
final class PartitionDigest {
    private static final int BYTES = 16;

    private final CounterCodec codec;

    PartitionDigest(Replicas replicas) {
        codec = new CounterCodec(replicas);
    }

    byte[] of(Partition partition) {
        List<byte[]> entries = new ArrayList<>();
        long version;
        partition.lock();
        try {
            byte[] cached = partition.cachedDigest();
            if (cached != null) {
                return cached.clone();
            }
            version = partition.version();
            ByteWriter entry = new ByteWriter(64);
            partition.table().visit(0, 1L << 32, new Key(), new Counter(), (type, key, counter) -> {
                entry.clear();
                codec.encodeKey(type, key.array(), key.offset(), key.length(), entry);
                codec.encode(counter, CounterCodec.NO_OWNER, entry);
                entries.add(entry.toByteArray());
            });
        } finally {
            partition.unlock();
        }
        byte[] digest = hash(entries);
        partition.lock();
        try {
            partition.cacheDigest(digest, version);
        } finally {
            partition.unlock();
        }
        return digest.clone();
    }

    private static byte[] hash(List<byte[]> entries) {
        entries.sort(Arrays::compareUnsigned);
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            entries.forEach(sha::update);
            return Arrays.copyOf(sha.digest(), BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
