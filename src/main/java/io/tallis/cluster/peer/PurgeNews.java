package io.tallis.cluster.peer;

import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;

/// The part of a beat about purges: the id of the purge that the node proposes or prepares, 0 if there is none; whether
/// it is ready for that and all nodes are there; whether an operator has asked this node for one; and
/// [Standing#undecided].
///
/// ```
/// flags (1) | proposal (8) | undecided (8)
/// ```
public record PurgeNews(long proposal, boolean ready, boolean wanted, long undecided) {
    public static final PurgeNews NONE = new PurgeNews(0, false, false, 0);

    private static final int READY = 1;
    private static final int WANTED = 2;

    void write(ByteWriter out) {
        out.u8((ready ? READY : 0) | (wanted ? WANTED : 0));
        out.i64(proposal);
        out.i64(undecided);
    }

    static PurgeNews read(ByteReader in) throws MalformedException {
        int flags = in.u8();
        return new PurgeNews(in.i64(), (flags & READY) != 0, (flags & WANTED) != 0, in.i64());
    }
}
