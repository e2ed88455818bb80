package io.tallis.cluster.peer;

import io.tallis.cluster.records.Addresses;
import io.tallis.cluster.records.NodeRecord;
import io.tallis.cluster.records.Self;
import io.tallis.cluster.records.Texts;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.UUID;

/// The heartbeat of a session: its state, sent to all peers several times a second.
///
/// `number` grows with each beat, so that a late one can be ignored. `epochMillis` is the time of day by the machine's
/// clock, `correctionMillis` what the node adds to it. `standing` is the node's cluster, and whether it is complete.
/// `news` and `vector` say what the node has, see [Sessions]: `vector` is what is durable of the sessions that it can
/// reach, `unreachableHash` a hash of what is durable of the others. `nodesHash` is a hash of its registry of nodes,
/// `folds` and `purges` what it says of folds and purges, `vitals` what people are shown of it. `wantsAcks` asks each
/// peer for an ACK frame as soon as it has all up to the head of the beat's frame.
///
/// ```
/// newest version (1) | flags (1) | number (varint) | time of day (8) | correction (8) | state (1) | uuid (16) | name |
/// client address |
/// [cluster: founded (8) | random (8) | last purge] | news (varint) | hash of unreachable (8) | hash of nodes (8) |
/// folds
/// | purges | vitals | vector
///
/// names: length (varint) and UTF-8
/// ```
public record Beat(
        int newestVersion,
        boolean wantsAcks,
        long number,
        long epochMillis,
        long correctionMillis,
        JoinState state,
        Standing standing,
        Self self,
        long news,
        long unreachableHash,
        long nodesHash,
        FoldNews folds,
        PurgeNews purges,
        Vitals vitals,
        Vector vector) {
    private static final int WANTS_ACKS = 1;
    private static final int HAS_CLUSTER = 2;
    private static final int COMPLETE = 4;

    public void write(ByteWriter out) {
        ClusterId cluster = standing.cluster();
        out.u8(newestVersion);
        out.u8((wantsAcks ? WANTS_ACKS : 0)
                | (cluster == null ? 0 : HAS_CLUSTER)
                | (standing.complete() ? COMPLETE : 0));
        out.varint(number);
        out.i64(epochMillis);
        out.i64(correctionMillis);
        out.u8(state.code());
        out.i64(self.uuid().getMostSignificantBits());
        out.i64(self.uuid().getLeastSignificantBits());
        Texts.write(Texts.clean(self.name(), NodeRecord.MOST_NAME_CHARS), out);
        self.addresses().write(out);
        if (cluster != null) {
            out.i64(cluster.foundedMillis());
            out.i64(cluster.random());
            standing.purge().write(out);
        }
        out.varint(news);
        out.i64(unreachableHash);
        out.i64(nodesHash);
        folds.write(out);
        purges.write(out);
        vitals.write(out);
        vector.write(out);
    }

    public static Beat read(ByteReader in) throws MalformedException {
        int newestVersion = in.u8();
        int flags = in.u8();
        long number = in.varint();
        long epochMillis = in.i64();
        long correctionMillis = in.i64();
        JoinState state = state(in.u8());
        UUID uuid = new UUID(in.i64(), in.i64());
        Self self = new Self(uuid, Texts.read(NodeRecord.MOST_NAME_CHARS, in), Addresses.read(in));
        Standing standing = standing(flags, in);
        long news = in.varint();
        long unreachableHash = in.i64();
        long nodesHash = in.i64();
        return new Beat(
                newestVersion,
                (flags & WANTS_ACKS) != 0,
                number,
                epochMillis,
                correctionMillis,
                state,
                standing,
                self,
                news,
                unreachableHash,
                nodesHash,
                FoldNews.read(in),
                PurgeNews.read(in),
                Vitals.read(in),
                Vector.read(in));
    }

    private static Standing standing(int flags, ByteReader in) throws MalformedException {
        boolean complete = (flags & COMPLETE) != 0;
        if ((flags & HAS_CLUSTER) != 0) {
            return new Standing(new ClusterId(in.i64(), in.i64()), complete, Purge.read(in), 0);
        }
        if (complete) {
            throw new MalformedException("a node that is complete without a cluster");
        }
        return Standing.NONE;
    }

    private static JoinState state(int code) throws MalformedException {
        return JoinState.ofCode(code).orElseThrow(() -> new MalformedException("a node in state " + code));
    }
}
