package io.tallis.cluster;

import io.tallis.cluster.records.NodeRecord;
import io.tallis.cluster.records.Self;
import io.tallis.cluster.records.Texts;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.UUID;

/// What a session tells of itself several times a second.
///
/// `number` grows with each, since one may come after a later one; `cells` is how many it has; `news` is what it knows
/// beyond numbers; `vector` what it has in its journal of sessions that are present to it; `absentHash` sums up what it
/// has of others; `nodesHash` what it knows of nodes. `urgent` asks everybody to say at once when they have all up to
/// the head of the frame.
///
/// ```
/// newest version (1) | flags (1) | number (varint) | state (1) | uuid (16) | name | client address |
/// cells (varint) | news (varint) | hash of absent (8) | hash of nodes (8) | vector
///
/// names: length (varint) and UTF-8
/// ```
record Beat(
        int newestVersion,
        boolean urgent,
        long number,
        JoinState state,
        Share share,
        Self self,
        long cells,
        long news,
        long absentHash,
        long nodesHash,
        Vector vector) {
    private static final int URGENT = 1;
    private static final int PART = 2;
    private static final int WHOLE = 4;

    void write(ByteWriter out) {
        out.u8(newestVersion);
        out.u8((urgent ? URGENT : 0) | flag(share));
        out.varint(number);
        out.u8(state.code());
        out.i64(self.uuid().getMostSignificantBits());
        out.i64(self.uuid().getLeastSignificantBits());
        Texts.write(Texts.clean(self.name(), NodeRecord.MOST_NAME_CHARS), out);
        Texts.write(Texts.clean(self.clientAddress(), NodeRecord.MOST_ADDRESS_CHARS), out);
        out.varint(cells);
        out.varint(news);
        out.i64(absentHash);
        out.i64(nodesHash);
        vector.write(out);
    }

    static Beat read(ByteReader in) throws MalformedException {
        int newestVersion = in.u8();
        int flags = in.u8();
        long number = in.varint();
        JoinState state = state(in.u8());
        UUID uuid = new UUID(in.i64(), in.i64());
        Self self = new Self(
                uuid, Texts.read(NodeRecord.MOST_NAME_CHARS, in), Texts.read(NodeRecord.MOST_ADDRESS_CHARS, in));
        long cells = in.varint();
        long news = in.varint();
        long absentHash = in.i64();
        long nodesHash = in.i64();
        Vector vector = Vector.read(in);
        return new Beat(
                newestVersion,
                (flags & URGENT) != 0,
                number,
                state,
                share(flags),
                self,
                cells,
                news,
                absentHash,
                nodesHash,
                vector);
    }

    private static int flag(Share share) {
        return switch (share) {
            case NONE -> 0;
            case PART -> PART;
            case LESS -> PART | WHOLE;
            case WHOLE -> WHOLE;
        };
    }

    private static Share share(int flags) {
        boolean part = (flags & PART) != 0;
        if ((flags & WHOLE) != 0) {
            return part ? Share.LESS : Share.WHOLE;
        }
        return part ? Share.PART : Share.NONE;
    }

    private static JoinState state(int code) throws MalformedException {
        return JoinState.ofCode(code).orElseThrow(() -> new MalformedException("a node in state " + code));
    }
}
