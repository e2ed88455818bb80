package io.tallis.keyspace;

import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Sha256;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/// A fold: the id that takes the place of its members, which are sessions of a node that have ended, or earlier folds
/// of that node. The fingerprint is that of what the members counted ([FoldScan]), 0 of a fold that is only proposed.
///
/// ```
/// id (16) | node (16) | fingerprint (8) | count (varint) | member (16) ..
/// ```
public record Fold(ReplicaId id, UUID node, List<ReplicaId> members, long fingerprint) {
    /// Stands for all nodes that were forgotten.
    public static final UUID FORGOTTEN = new UUID(0, 0);

    /// The most members, so that a fold fits into a datagram.
    public static final int MOST_MEMBERS = 2_000;

    public void write(ByteWriter out) {
        CellCodec.encodeId(id, out);
        out.i64(node.getMostSignificantBits());
        out.i64(node.getLeastSignificantBits());
        out.i64(fingerprint);
        out.varint(members.size());
        members.forEach(member -> CellCodec.encodeId(member, out));
    }

    public static Fold read(ByteReader in) throws MalformedException {
        ReplicaId id = CellCodec.decodeId(in);
        UUID node = new UUID(in.i64(), in.i64());
        long fingerprint = in.i64();
        int count = in.count(CellCodec.ID_BYTES);
        if (!id.isFold() || count == 0 || count > MOST_MEMBERS) {
            throw new MalformedException("a fold " + id + " of " + count + " members");
        }
        List<ReplicaId> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            members.add(CellCodec.decodeId(in));
        }
        return new Fold(id, node, List.copyOf(members), fingerprint);
    }

    /// A proposal to fold these. Its id, as that of the fold itself, says what is folded: nodes that fold the same
    /// without knowing of each other, as copies of a directory do, agree.
    public static Fold proposal(UUID node, Collection<ReplicaId> members) {
        List<ReplicaId> sorted = members.stream().sorted().toList();
        ByteWriter bytes = new ByteWriter(64);
        sorted.forEach(member -> CellCodec.encodeId(member, bytes));
        return new Fold(idOf(bytes), node, sorted, 0);
    }

    /// The fold of what was proposed, when all nodes have this fingerprint of it.
    public Fold made(long fingerprint) {
        ByteWriter bytes = new ByteWriter(CellCodec.ID_BYTES);
        bytes.i64(id.low());
        bytes.i64(fingerprint);
        return new Fold(idOf(bytes), node, members, fingerprint);
    }

    private static ReplicaId idOf(ByteWriter bytes) {
        return ReplicaId.ofFold(ByteBuffer.wrap(Sha256.of(bytes.toByteArray())).getLong());
    }

    public byte[] note() {
        ByteWriter out = new ByteWriter(64);
        write(out);
        return out.toByteArray();
    }

    @Override
    public String toString() {
        return Long.toHexString(id.low()) + " of " + members.size();
    }
}
