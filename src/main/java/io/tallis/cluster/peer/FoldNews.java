package io.tallis.cluster.peer;

import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;

/// The part of a beat about folds: a hash of the folds that the node has made; the lower half of the id of the fold
/// that the node proposes or prepares, 0 if there is none; once the node is ready for that, the fingerprint of its
/// members, else 0; whether an operator has asked this node for folds; and how many ended sessions wait for a fold,
/// [#UNKNOWN] if this node is not the proposer.
///
/// ```
/// made (8) | proposal (8) | fingerprint (8) | wanted (1) | 0, or waiting + 1 (varint)
/// ```
public record FoldNews(long made, long proposal, long fingerprint, boolean wanted, long waiting) {
    public static final long UNKNOWN = -1;

    public static final FoldNews NONE = new FoldNews(0, 0, 0, false, UNKNOWN);

    void write(ByteWriter out) {
        out.i64(made);
        out.i64(proposal);
        out.i64(fingerprint);
        out.u8(wanted ? 1 : 0);
        out.varint(waiting + 1);
    }

    static FoldNews read(ByteReader in) throws MalformedException {
        return new FoldNews(in.i64(), in.i64(), in.i64(), in.u8() != 0, in.varint() - 1);
    }
}
